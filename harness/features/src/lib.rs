//! Nothing: its manifest names features that only tests need.
