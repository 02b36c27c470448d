//! Several sites live: three Wattbooks, each a process with agendas of its own, of which one asks the others.

mod all_known;
mod between;
mod booked;
mod choices;
mod commands;

mod gone;
mod lies;
mod three;
