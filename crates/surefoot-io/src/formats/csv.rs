//! Parser of text tables: CSV (RFC 4180) and its variants.
//!
//! The first record holds the names of the columns, or the columns have no names. The columns and their roles are determined
//! once for all files of a command ([`Inferred`](crate::Inferred)), or come from a model; each file may have the columns in a
//! different order. Blank lines are not rows. A record is limited to 256 MiB, a quoted cell to 16 MiB.
//!
//! | topic | file |
//! | --- | --- |
//! | the first record | `csv/first_record.rs` |
//! | records, cells, quotes | `csv/cells.rs` |
//! | detection of the delimiter from the first lines | `csv/delimiter.rs` |
//! | whether the first line holds the names of the columns | `csv/header.rs` |
//! | names and roles given by the user | `table/column_names.rs`, `table/column_roles.rs` |
//! | roles inferred from the first rows | `csv/types.rs` |
//! | use of each cell of a file | `csv/layout.rs` |
//! | a record with too few or too many fields | `csv/field_count.rs` |
//! | meaning of a cell, which texts are missing values | `csv/rules.rs`, `csv/looks.rs`, `text/cell_value.rs` |
//! | effect of a missing cell | numbers in `record`, texts and categories in `add`, both below; refusal in `csv/rules.rs`, `is_gap` |
//! | columns from `key=value` folders | `csv/folders.rs` |
//! | location of a part of a row for messages | `csv/describe.rs` |

mod cells;
mod delimiter;
mod describe;
mod field_count;
mod first_record;
mod folders;
mod header;
mod layout;
mod looks;
mod rules;
mod types;

use surefoot_glm::{Batch, Column, Role, TableSchema};

use super::{
    parse_error::RecordError,
    parser::TextParser,
    records::{Numbers, RecordFormat, Records},
    scan::Scan,
};
use crate::{
    error::ColumnError,
    features::feature_columns::check_features,
    features::row_builder::{Group, MultiValueCell, RowBuilder, escape},
    table::{column_roles, inferred::Head, options::Options},
    text::number,
};
pub(crate) use describe::describe;
use field_count::wrong_field_count;
use first_record::FirstRecord;
use folders::Folders;
use header::HeaderGuess;
use layout::{CellUse, Layout};
use looks::CellGuess;
use rules::{Cell, Rules};
use types::{Rows, Search};

/// Parser state of the CSV format, including that of the current input.
struct Csv {
    options: Options,
    rules: Rules,
    /// Default delimiter of the format: a comma (CSV) or a tab (TSV).
    usual: u8,
    /// Whether the delimiter of the current input has already been determined.
    parted: bool,
    /// Use of each column of the input; `None` until the columns are determined.
    layout: Option<Layout>,
    search: Search,
    /// Whether an attempt was already made to determine the columns from fewer rows than are normally examined.
    tried: bool,
    row: RowBuilder,
    ends: Vec<usize>,
    /// Columns with a missing cell in the current row, as positions in the table schema.
    gaps: Vec<usize>,
    /// Number of missing cells found so far in each column of the table schema; `None` if another reader counts them.
    missing: Option<Vec<u64>>,
    /// Number of the current input among all inputs, from 0.
    input: usize,
    /// Columns that are constant over the input, taken from `key=value` folder names in its path.
    folders: Folders,
    /// Reused buffer for a record with the values of the folder columns appended.
    extended: Vec<u8>,
    /// Position in the record of the cell that holds the row's name (id); `None` if row names are not requested.
    id: Option<usize>,
}

/// Builds a parser of text tables with the given default delimiter; the options or the content of an input may determine another one.
pub(crate) fn parser(options: &Options, delimiter: u8) -> Box<dyn TextParser> {
    Box::new(Records::new(Csv {
        options: options.clone(),
        rules: Rules::new(options, delimiter),
        usual: delimiter,
        parted: false,
        layout: None,
        search: Search::default(),
        tried: false,
        row: RowBuilder::new(options),
        ends: Vec::new(),
        gaps: Vec::new(),
        missing: options.found.counts().then(Vec::new),
        input: 0,
        folders: Folders::default(),
        extended: Vec::new(),
        id: None,
    }))
}

/// Whether text that begins with `head` looks like a table with this delimiter. If `delimiter` is a comma, other common delimiters that
/// split the first lines consistently count as well.
pub(crate) fn begins(head: &[u8], delimiter: u8) -> bool {
    let line = head.split(|&byte| byte == b'\n').find(|line| !line.trim_ascii().is_empty()).unwrap_or_default();
    let is_pair = |token: &[u8]| number::index(token, 0).is_some_and(|(_, end)| token.get(end) == Some(&b':'));
    let is_svmlight = |line: &[u8]| {
        let mut tokens = line.split(|byte| matches!(byte, b' ' | b'\t')).filter(|token| !token.is_empty());
        tokens.next().is_some_and(|first| first.starts_with(b"#")) || tokens.next().is_some_and(is_pair)
    };
    let has = |delimiter| line.contains(&delimiter) && !line.contains(&b'|');
    let pairs = head.split(|&byte| byte == b'\n').take(10).any(is_svmlight);
    let is_other = |&other: &u8| !has(b'\t') && !pairs && delimiter::is_table(head, other);
    !is_svmlight(line) && (has(delimiter) || (delimiter == b',' && [b';', b'|', cells::BLANKS].iter().any(is_other)))
}

/// Whether text that begins with `head` looks like a table delimited by vertical bars (`|`) with no blanks in its first line.
pub(crate) fn has_bars(head: &[u8]) -> bool {
    let line = head.split(|&byte| byte == b'\n').find(|line| !line.trim_ascii().is_empty()).unwrap_or_default();
    !line.contains(&b' ') && delimiter::is_table(head, b'|')
}

impl Csv {
    fn first<'a>(&self, bytes: &'a [u8], last: bool) -> Result<Option<FirstRecord<'a>>, RecordError> {
        let dialect = self.rules.dialect;
        let Some((at, record, end)) = dialect.first(bytes, 0, last)? else { return Ok(None) };
        if let Some(at_cr) = memchr::memchr(b'\r', record)
            && dialect.quote.is_none_or(|quote| memchr::memchr(quote, record).is_none())
        {
            let message = "a carriage return within the line; lines end with LF or CRLF";
            return Err(RecordError::new(at + at_cr, &record[..at_cr], message).fatal());
        }
        let mut ends = Vec::new();
        dialect.split(record, &mut ends).map_err(|wrong| RecordError { at: at + wrong.at, ..wrong }.fatal())?;
        Ok(Some(FirstRecord { at, record, ends, dialect, end }))
    }

    /// Determines the columns of the table and their roles from the first input; `None` if more bytes of the input are needed.
    fn columns(
        &mut self,
        bytes: &[u8],
        last: bool,
        first: &FirstRecord<'_>,
    ) -> Result<Option<TableSchema>, RecordError> {
        let wanted = &self.options.wanted;
        let examined = self.search.end(bytes, self.rules.dialect)?;
        let enough = last || examined.is_some();
        if !enough && std::mem::replace(&mut self.tried, true) {
            return Ok(None);
        }
        // Bytes that happened to arrive beyond those must not matter.
        let (bytes, last) = examined.map_or((bytes, last), |end| (&bytes[..end], false));
        let rows = Rows { bytes, dialect: self.rules.dialect, last };
        let at_once = wanted.header.or_else(|| header::at_once(first, &self.rules, wanted));
        let sure = |is_header| HeaderGuess { is_header, is_sure: true };
        let verdict = at_once.map(sure).or_else(|| rows.verdict(first, &self.rules).filter(|_| enough));
        let Some(HeaderGuess { is_header: header, is_sure }) = verdict else {
            let message = "does this line name the columns? say --header yes or --header no";
            return if enough { Err(first.wrong(message.to_owned())) } else { Ok(None) };
        };
        let mut names = first.names(header);
        if header {
            first.check_names(&names)?;
        }
        let cells = names.len();
        let constants = folders::beside(self.options.partitions.of(self.input), &names);
        names.extend(constants.iter().map(|constant| constant.column.clone()));
        let mut roles = column_roles::roles(&names, &self.options, !self.options.unlabelled).map_err(|refused| {
            let message = refused.message + other_delimiter(&names[..cells]);
            first.refused(ColumnError { message, ..refused })
        })?;
        roles[cells..].iter_mut().zip(&constants).for_each(|(role, constant)| _ = role.get_or_insert(constant.role));
        let is_guessed = |role: &Option<Role>| role.is_none();
        if roles.iter().any(is_guessed) && !enough {
            return Ok(None);
        }
        let at = if header { first.end } else { first.at };
        if bytes[at..].iter().all(u8::is_ascii_whitespace) && roles.iter().any(is_guessed) {
            // The first input has no rows from which to infer the roles; another file may have some.
            return Ok(None);
        }
        if self.options.classes
            && let Some(label) = roles[..cells].iter().position(|role| *role == Some(Role::Label))
        {
            match rows.labels_of_booleans(at, cells, label, &self.rules) {
                Some((true, _)) | None if !enough => return Ok(None),
                Some((true, true)) => _ = self.options.found.text_labels.set(true),
                _ => {}
            }
        }
        let guesses = rows.guess(at, &names[..cells], &roles[..cells], &self.rules)?;
        let open = names.iter().zip(&guesses).filter(|(_, guess)| guess.is_open).map(|(name, _)| name.clone());
        let _ = self.options.found.open.set(open.collect());
        let of_cells = guesses.into_iter().map(|guess| guess.role);
        let all = of_cells.chain(roles[cells..].iter().copied().flatten());
        let columns = names.into_iter().zip(all).map(|(name, role)| Column { name, role });
        let table = TableSchema { header, columns: columns.collect(), ..self.options.reading.table.clone() };
        self.options.found.tell_of_head(Head {
            delimiter: self.rules.dialect.delimiter,
            quote: self.rules.dialect.quote,
            is_header: header,
            is_sure,
            width: table.columns.len(),
        });
        check_features(&table, &self.options).map_err(|refused| first.refused(refused))?;
        Ok(Some(table))
    }

    /// Determines the use of each cell in the input's records (label, feature, …); returns the number of bytes before the first row.
    fn lay_out(&mut self, table: &TableSchema, first: &FirstRecord<'_>) -> Result<usize, RecordError> {
        let header = match self.options.wanted.header {
            Some(header) => header,
            None => {
                header::of_known(table, first, &self.rules, &self.options).map_err(|message| first.wrong(message))?
            }
        };
        let by_name = header && table.header;
        let mut names = first.names(by_name);
        self.folders = Folders::new(self.options.partitions.of(self.input), &names, self.rules.dialect);
        if by_name {
            first.check_names(&names)?;
        }
        names.extend(self.folders.names());
        column_roles::note_ignored(&names, &self.options);
        self.id = column_roles::id(&names, &self.options.wanted).map_err(|refused| first.refused(refused))?;
        let order = if by_name {
            layout::order_by_name(table, first, &names, &self.options)?
        } else {
            let constants: Vec<_> = self.folders.names().collect();
            layout::order_by_number(table, first, &constants, self.rules.unlabelled)?
        };
        check_features(table, &self.options).map_err(|refused| first.refused(refused))?;
        let layout = Layout::new(table, order, &self.options);
        layout.assign(&mut self.row);
        self.options.found.lay_out(self.rules.dialect, &layout.order);
        self.layout = Some(layout);
        Ok(if header { first.end } else { first.at })
    }
}

impl RecordFormat for Csv {
    fn start(&mut self, input: u32) {
        self.input = input as usize;
    }

    fn begin(&mut self, bytes: &[u8], last: bool) -> Result<Option<usize>, RecordError> {
        self.layout = None;
        if !self.parted {
            let found = match self.options.wanted.delimiter.and_then(|c| u8::try_from(c).ok()) {
                Some(given) => Some(given),
                None => {
                    let usual = self.rules.dialect.with(self.usual);
                    delimiter::find(bytes, last, usual, self.options.found.table())
                }
            };
            let Some(delimiter) = found else { return Ok(None) };
            if delimiter == b',' && self.options.wanted.decimal == Some(',') {
                let message =
                    "--decimal , means nothing where commas stand between cells: leave it out, or give --delimiter";
                return Err(RecordError::new(0, b",", message).fatal());
            }
            self.rules.part(delimiter);
            self.parted = true;
        }
        let Some(first) = self.first(bytes, last)? else { return Ok(last.then_some(bytes.len())) };
        if self.options.found.table().is_none() {
            match self.columns(bytes, last, &first)? {
                None => return Ok(last.then_some(bytes.len())),
                Some(table) => _ = self.options.found.table.set(table),
            }
        }
        let found = self.options.found.clone();
        found.table().map(|table| self.lay_out(table, &first)).transpose()
    }

    fn end(&self, text: &[u8], scan: &mut Scan) -> Result<Option<usize>, RecordError> {
        self.rules.dialect.end(text, scan)
    }

    fn ends_at_lines(&self) -> bool {
        self.rules.dialect.quote.is_none()
    }

    fn is_blank(&self, record: &[u8]) -> bool {
        self.rules.dialect.is_blank(record)
    }

    fn record(&mut self, record: &[u8], batch: &mut Batch) -> Result<Option<Numbers>, RecordError> {
        if self.rules.dialect.is_blank(record) {
            return Ok(None);
        }
        let Csv { options, rules, layout: Some(layout), row, ends, gaps, folders, extended, id, .. } = self else {
            return Ok(None);
        };
        let Some(table) = options.found.table() else { return Ok(None) };
        let dialect = rules.dialect;
        dialect.split(record, ends)?;
        let (expected, found) = (layout.order.len() - folders.count(), ends.len());
        if found != expected {
            return Err(RecordError::new(0, record, wrong_field_count(expected, found)));
        }
        let record = folders.extend(record, ends, extended);
        folders.check(record, ends, dialect)?;
        row.clear();
        gaps.clear();
        let (mut labelled, mut weight, mut offset) = (None, 1.0, 0.0);
        let numbers = Group::named(b"");
        for &(place, used) in &layout.uses {
            let (at, end) = (if place > 0 { ends[place - 1] + 1 } else { 0 }, ends[place]);
            let column = || layout.order[place].unwrap_or(usize::MAX);
            let cell = || {
                let name = table.columns.get(column()).map_or("", |column| &column.name);
                Cell { raw: &record[at..end], at, place, name, dialect }
            };
            match used {
                CellUse::Number { id, gap, fill, .. } => {
                    row.group(numbers);
                    let plain = || {
                        let (at, end) = cells::inner(record, at, end);
                        number::plain(record, at, end)
                    };
                    let plain = if rules.decimal_comma || rules.absent.has_numbers() { None } else { plain() };
                    let number = plain.map_or_else(|| rules.number_or_gap(cell()), |number| Ok(Some(number)));
                    match number? {
                        Some(number) => row.add_again(id, number),
                        None => {
                            row.add_again(gap, 1.0);
                            row.add_again(id, fill);
                            gaps.push(column());
                        }
                    }
                }
                CellUse::Feature { feature, role } => {
                    if !add(row, &layout.features[feature], role, rules, cell())? {
                        gaps.push(column());
                    }
                }
                CellUse::Label if !rules.unlabelled => labelled = Some(cell()),
                CellUse::Weight if !rules.unlabelled => weight *= rules.weight(cell())?,
                CellUse::Label | CellUse::Weight => {}
                CellUse::Offset(role) => offset = rules.offset(role, cell())?,
            }
        }
        let pairs = batch.index.len();
        row.finish(batch).map_err(|unfit| RecordError::new(0, record, unfit.message()))?;
        // The label comes last, since reading a new text adds a class. The label of a row of weight 0 may be anything.
        let label = labelled.filter(|_| weight > 0.0).map_or(Ok(f64::NAN), |cell| rules.label(cell));
        let label = label.inspect_err(|_| {
            batch.truncate_pairs(pairs);
        })?;
        row.accept();
        if let Some(place) = *id {
            let at = if place > 0 { ends[place - 1] + 1 } else { 0 };
            batch.push_name(&dialect.text(&record[at..ends[place]]));
        }
        if let Some(missing) = &mut self.missing {
            missing.resize(table.columns.len(), 0);
            gaps.iter().filter_map(|&column| missing.get_mut(column).map(|cells| *cells += 1)).for_each(drop);
        }
        Ok(Some(Numbers { label, weight, offset }))
    }

    fn finish(&mut self) {
        self.row.report();
        (self.search, self.tried, self.parted) = (Search::default(), false, false);
        let table = self.options.found.table();
        if let (Some(missing), Some(table)) = (&mut self.missing, table) {
            for (column, cells) in table.columns.iter().zip(missing.drain(..)) {
                if cells > 0 {
                    self.options.found.count_missing(&column.name, cells);
                }
            }
        }
    }
}

/// Returns a hint, for an error message, that another delimiter may be meant if there is only one column name; otherwise an empty text.
fn other_delimiter(names: &[String]) -> &'static str {
    match names {
        _ if names.len() > 1 => "",
        [one] if one.contains(';') => "; should it be --delimiter ';'?",
        [one] if one.contains('\t') => "; should it be --format tsv?",
        [one] if one.contains('|') => "; should it be --delimiter '|'?",
        [one] if one.contains(',') => "; should it be --format csv?",
        _ => "",
    }
}

/// Whether the text of a cell looks like a date, a time or both.
#[must_use]
pub fn is_date(cell: &[u8]) -> bool {
    CellGuess::like(cell) == Some(CellGuess::Date)
}

/// Returns the unit of measurement after the number in a cell: `kg` for `1.5 kg`; `None` for other cells.
#[must_use]
pub fn unit(cell: &str) -> Option<&str> {
    looks::unit(cell)
}

/// Adds the features of a CSV cell to the row being built; returns `false` if the cell is missing.
fn add(
    row: &mut RowBuilder,
    feature: &layout::Feature,
    role: Role,
    rules: &Rules,
    cell: Cell<'_>,
) -> Result<bool, RecordError> {
    row.group(feature.group);
    let text = cell.text();
    if role == Role::Text {
        let mut words = MultiValueCell::begin(row, feature.values());
        let is_missing = rules.is_no_text(&text) && words.add_no_words(rules.missing);
        if !rules.is_no_text(&text) {
            words.add_words(&text);
        }
        words.end();
        return Ok(!is_missing);
    }
    if rules.is_gap(cell, &text)? {
        row.add(feature.gap, 1.0, |to| to.extend([feature.name.as_str(), "="]));
        row.add(feature.id, feature.fill, |to| to.push_str(&feature.name));
        return Ok(false);
    }
    if role == Role::Number {
        let number = rules.number_or_gap(cell)?.unwrap_or_default();
        row.add(feature.id, number, |to| to.push_str(&feature.name));
        return Ok(true);
    }
    if feature.is_open {
        rules.check_category(cell, &text)?;
    }
    let text = rules.category(&text);
    let id = feature.group.id(&text);
    row.assign(id, feature.rule);
    row.add(id, 1.0, |to| {
        to.extend([feature.name.as_str(), "="]);
        escape(&text, to);
    });
    Ok(true)
}
