mod estimates;
mod flows;
