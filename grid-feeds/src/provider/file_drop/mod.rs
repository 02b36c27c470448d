//! Files that a supplier drops: one file, or a directory of them.
//!
//! CSV (`start,end` and the value) or JSON (an array of objects with the same members), as the
//! service takes them over HTTP. In a directory later names count before earlier ones over the
//! span that they cover, gaps included. Files that are not read: hidden ones and other endings.

mod client;
pub mod map;

pub use client::{Client, Settings};
