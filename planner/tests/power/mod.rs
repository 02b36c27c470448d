//! Random small problems of power actions, and what brute force says of them.

pub mod oracle;
pub mod sketch;
