//! The documents: their links, the commands that they show with what these print, and the page of flags.

mod examples;
mod flags;
mod links;
mod pages;
mod transcripts;
