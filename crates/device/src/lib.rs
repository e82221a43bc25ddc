//! hotfire-device
