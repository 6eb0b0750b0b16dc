//! Tests of the documents: links, commands with the output that they show, and the page of flags.

mod examples;
mod flags;
mod links;
mod pages;
mod transcripts;
