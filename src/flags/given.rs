//! Checks that refuse flags without an effect, according to the table of flags in [`rules`](super::rules).

use super::rules::{Kind, Rule, TABLE};
use crate::failure::Failure;
use clap::{ArgMatches, Command, parser::ValueSource};
use surefoot_glm::{FeatureKey, Loss, Plan, Settings};
use surefoot_io::{Accepts, Format, InputName, Options};

/// Long names of the flags that the user gave, in the order in which the command declares them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Given(Vec<String>);

impl Given {
    /// Collects the flags that the user gave to a command.
    pub(crate) fn of(command: &Command, matches: &ArgMatches) -> Given {
        let is_given = |id: &str| matches.value_source(id) == Some(ValueSource::CommandLine);
        let given = command.get_arguments().filter(|arg| is_given(arg.get_id().as_str()));
        Given(given.filter_map(|arg| Some(arg.get_long()?.to_owned())).collect())
    }

    fn rules(&self) -> impl Iterator<Item = &'static Rule> {
        self.0.iter().filter_map(|flag| TABLE.iter().find(|rule| rule.flag == flag))
    }

    fn has(&self, flag: &str) -> bool {
        self.0.iter().any(|given| given == flag)
    }

    /// Returns an error if a given flag has no effect for this loss.
    pub(crate) fn check_loss(&self, loss: Loss) -> Result<(), Failure> {
        let refused = self.rules().find_map(|rule| Some((rule.flag, rule.refuses_loss(loss)?)));
        refused.map_or(Ok(()), |(flag, message)| {
            let name = loss.name();
            Err(Failure::usage(format!("--{flag} {message}; with --loss {name} it does nothing, leave it out")))
        })
    }

    /// Returns an error if a given flag requires other settings, or another number of passes, than those of the fit.
    pub(crate) fn check_plan(&self, settings: &Settings, plan: &Plan) -> Result<(), Failure> {
        let lacks = |rule: &Rule| rule.needs.filter(|needs| !(needs.met)(settings, plan));
        let refused = self.rules().find_map(|rule| Some((rule.flag, lacks(rule)?.message)));
        refused.map_or(Ok(()), |(flag, message)| Err(Failure::usage(format!("--{flag} {message}"))))
    }

    /// Returns an error if a given flag has no effect for the format of the data. If the format is still unknown, the check is postponed
    /// until the data are opened, before the first row.
    pub(crate) fn check_data(&self, options: &mut Options, inputs: &[InputName]) -> Result<(), Failure> {
        let given = self.clone();
        options.accepts = Accepts::new(move |format| given.refused(format.name).map_or(Ok(()), Err));
        let by = if options.wanted.label.is_some() { FeatureKey::Column } else { options.reading.by };
        let refused = options.format.or_else(|| Format::guess(inputs, by)).and_then(|format| self.refused(format.name));
        refused.map_or(Ok(()), |message| Err(Failure::usage(message)))
    }

    fn refused(&self, format: &str) -> Option<String> {
        let (flag, why) = self.rules().find_map(|rule| Some((rule.flag, rule.refuses_format(Kind::of(format))?)))?;
        let other = if self.has("format") { "" } else { ", or say --format if the data are another format" };
        Some(format!("--{flag} does nothing with {format} data: {why}; leave the flag out{other}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flags::cli::Cli;
    use clap::CommandFactory;

    /// Names of the commands that read data, whose flags have rows in the table of rules.
    const COMMANDS: [&str; 3] = ["fit", "predict", "eval"];

    #[test]
    fn each_flag_has_a_row_and_each_row_a_flag() {
        let command = Cli::command();
        let flags: Vec<&str> = COMMANDS
            .iter()
            .flat_map(|name| command.find_subcommand(name).unwrap().get_arguments())
            .filter_map(|arg| arg.get_long())
            .collect();
        for flag in &flags {
            let rows = TABLE.iter().filter(|rule| rule.flag == *flag).count();
            assert_eq!(
                rows, 1,
                "--{flag} needs a row in src/flags/rules.rs that says which formats and losses it is for"
            );
        }
        for rule in TABLE {
            assert!(flags.contains(&rule.flag), "--{} is no flag of {COMMANDS:?}", rule.flag);
        }
    }
}
