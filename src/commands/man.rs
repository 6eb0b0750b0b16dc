//! `surefoot man`: prints one manual page with a section per command, generated from the definitions of the commands and their flags.

use crate::{
    failure::Failure,
    flags::cli::{Cli, ManArgs},
    terminal::lines,
};
use clap::CommandFactory;
use clap_mangen::Man;

pub(crate) fn run(_: &ManArgs) -> Result<(), Failure> {
    let mut page = Vec::new();
    render(&mut page).map_err(|error| Failure::stdout(&error))?;
    lines::print(&page)
}

fn render(page: &mut Vec<u8>) -> std::io::Result<()> {
    let mut command = Cli::command();
    command.build();
    let man = Man::new(command.clone());
    man.render_title(page)?;
    man.render_name_section(page)?;
    man.render_synopsis_section(page)?;
    man.render_description_section(page)?;
    for sub in command.get_subcommands().filter(|sub| sub.get_name() != "help") {
        let name = format!("surefoot {}", sub.get_name()).to_uppercase();
        page.extend(format!(".SH \"{name}\"\n").bytes());
        let man = Man::new(sub.clone());
        let mut section = Vec::new();
        man.render_synopsis_section(&mut section)?;
        man.render_description_section(&mut section)?;
        man.render_options_section(&mut section)?;
        // The sections of a command become subsections of the single page.
        page.extend(String::from_utf8_lossy(&section).replace(".SH ", ".SS ").bytes());
    }
    man.render_extra_section(page)?;
    man.render_version_section(page)
}
