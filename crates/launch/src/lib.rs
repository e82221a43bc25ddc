//! hotfire-launch
