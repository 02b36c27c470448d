//! Tests that have all nodes. They come last, since tests are taken in the order of their names: nobody
//! else can begin while one of them waits.

mod compared;
mod controller;
mod full;
mod kills;
mod measured;
mod news;
mod unseen;
