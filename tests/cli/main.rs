//! The command as its users meet it: files and flags in, files, streams and an exit status out.
//!
//! Expected values come from closed forms, from other tools, or from a second, plainer way to compute the same.

mod advice;
mod browser;
mod browser_page;
mod cases;
mod certificate;
mod choice;
mod classes;
mod columns;
mod end;
mod eval;
mod export;
mod fit;
mod flags;
mod folders;
mod formats;
mod groups;
mod help;
mod honest;
mod hostile;
mod json;
mod kill;
mod lab;
mod labels;
mod losses;
mod memory;
mod missing;
mod models;
mod names;
mod optimum;
mod order;
mod paths;
mod predict;
mod report;
mod resume;
mod rows;
mod sandbox;
mod shares;
mod shuffle;
mod signals;
mod skip;
mod tables;
mod text;
mod units;
mod words;
