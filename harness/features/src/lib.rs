//! Empty: the manifest names features that only tests need.
