//! hotfire-image
