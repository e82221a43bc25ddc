//! hotfire-cuda
