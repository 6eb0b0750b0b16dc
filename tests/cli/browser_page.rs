//! Tests the HTML page of `--report` in a real browser: figures are drawn, nothing is fetched, and no script fails.

use crate::{
    browser::{self, Browser},
    sandbox::{Sandbox, rows, skipped},
};
use serde_json::{Value, json};
use std::path::Path;

/// JavaScript expression that returns for each figure: the id of its card (panel), whether it is visible, its size in
/// pixels, the number of marks drawn, and the number of marks within its bounds.
const FIGURES: &str = "[...document.querySelectorAll('.card figure')].map(figure => {
    const svg = figure.querySelector('svg'), box = svg.getBoundingClientRect();
    const marks = [...svg.querySelectorAll('g[data-label] > *')].map(mark => mark.getBoundingClientRect());
    const drawn = marks.filter(b => b.width + b.height > 0);
    const within = drawn.filter(b => b.left >= box.left - 1 && b.right <= box.right + 1 && b.top >= box.top - 1 && b.bottom <= box.bottom + 1);
    return {card: figure.closest('.card').id, shown: getComputedStyle(figure).display !== 'none',
            width: box.width, height: box.height, drawn: drawn.length, within: within.length,
            words: !!(svg.querySelector('title') || svg.ariaLabel)};
})";

/// Asserts that all visible figures of the open page are at least `least` pixels wide and draw their marks within their
/// bounds, and returns the ids of their cards (panels).
fn figures(browser: &mut Browser, least: f64) -> Vec<String> {
    let figures = browser.value(FIGURES);
    let shown: Vec<&Value> = figures.as_array().unwrap().iter().filter(|figure| figure["shown"] == true).collect();
    for figure in &shown {
        assert!(figure["width"].as_f64() > Some(least) && figure["height"].as_f64() > Some(least / 2.0), "{figure}");
        assert!(figure["drawn"].as_u64() >= Some(1) && figure["drawn"] == figure["within"], "{figure}");
        assert_eq!(figure["words"], true, "{figure}");
    }
    shown.iter().map(|figure| figure["card"].as_str().unwrap().to_owned()).collect()
}

fn width(browser: &mut Browser, width: u32) {
    let metrics = json!({"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500});
    browser.call("Emulation.setDeviceMetricsOverride", metrics);
}

/// Asserts that the page requested nothing but its own file, and that the browser reported neither errors nor console
/// messages.
fn nothing_leaves(browser: &Browser, file: &Path) {
    let requests = browser.heard("Network.requestWillBeSent");
    let own = format!("file://{}", file.display());
    for request in &requests {
        let url = request["params"]["request"]["url"].as_str().unwrap();
        assert!(url == own || url.starts_with("data:"), "{url}");
    }
    assert!(!requests.is_empty(), "requests are seen");
    for complaint in ["Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded"] {
        assert_eq!(browser.heard(complaint), Vec::<&Value>::new());
    }
}

#[test]
fn plots_are_drawn_and_nothing_is_fetched() {
    let Some(program) = browser::installed() else {
        return skipped("no Chromium in PATH and none named by SUREFOOT_CHROMIUM; Debian has chromium-headless-shell");
    };
    let box_ = Sandbox::new();
    box_.write("a.svm", rows(3000));
    box_.write("t.svm", rows(300));
    box_.ok("fit a.svm -o two --test t.svm --report two.html");
    box_.ok("fit a.svm -o n --loss squared --passes 2 --report numbers.html");
    box_.ok("fit a.svm -o b --radius 1 --row-norm 4 --report ball.html");
    box_.ok("eval two t.svm --report eval.html");
    let mut many = "label,\"</script><script>evil = 1</script>\"\n".to_owned();
    (0..90).for_each(|t| many += &format!("{},{}\n", ["<b id=evil>", "\"\"\"\"", "c"][t % 3], t % 3));
    box_.write("many.csv", many);
    box_.ok("fit many.csv --label label --loss softmax -o c --report many.html");
    let mut browser = Browser::start(&program, &box_.path("browser"));
    for (name, expected) in [
        ("two.html", vec!["loss", "lanes", "calibration", "roc", "precision"]),
        ("numbers.html", vec!["loss", "lanes", "predictions", "errors"]),
        ("ball.html", vec!["loss", "certificate", "calibration", "roc", "precision"]),
        ("many.html", vec!["loss", "lanes", "calibration"]),
        ("eval.html", vec!["calibration", "roc", "precision"]),
    ] {
        let file = box_.path(name);
        for (wide, least) in [(1280, 300.0), (360, 250.0)] {
            width(&mut browser, wide);
            browser.open(&file);
            assert_eq!(figures(&mut browser, least), expected, "{name} at {wide}");
            let scrolls = browser.value("document.documentElement.scrollWidth > innerWidth");
            assert_eq!(scrolls, false, "{name} at {wide} is wider than the window");
            nothing_leaves(&browser, &file);
        }
    }
    text_is_no_code(&mut browser, &box_.path("many.html"));
    views_are_chosen(&mut browser, &box_.path("two.html"));
    numbers_are_under_the_pointer(&mut browser);
    it_is_dark_in_the_dark(&mut browser);
    it_is_whole_without_scripts(&mut browser, &box_.path("two.html"));
}

fn text_is_no_code(browser: &mut Browser, file: &Path) {
    browser.open(file);
    assert_eq!(browser.value("[typeof evil, document.getElementById('evil')]"), json!(["undefined", null]));
    assert_eq!(browser.value("document.querySelector('.heat tbody th:first-child').textContent"), "\"");
}

fn views_are_chosen(browser: &mut Browser, file: &Path) {
    width(browser, 1280);
    browser.open(file);
    let shown = "[...document.querySelectorAll('#loss figure')].map(f => getComputedStyle(f).display !== 'none')";
    assert_eq!(browser.value(shown), json!([true, false, false]));
    browser.value("document.querySelector('#loss label:nth-of-type(3)').click()");
    assert_eq!(browser.value(shown), json!([false, false, true]));
    assert!(figures(browser, 300.0).contains(&"loss".to_owned()));
}

fn numbers_are_under_the_pointer(browser: &mut Browser) {
    browser.value("document.querySelector('#roc svg').scrollIntoView({block: 'center'})");
    let middle = browser.value(
        "(() => { const b = document.querySelector('#roc svg').getBoundingClientRect(); return [b.left + b.width / 2, b.top + b.height / 2] })()",
    );
    let moved = json!({"type": "mouseMoved", "x": middle[0], "y": middle[1]});
    browser.call("Input.dispatchMouseEvent", moved);
    let tip = browser.value("document.querySelector('.tip').textContent");
    let tip = tip.as_str().unwrap();
    assert!(tip.contains("model") && tip.starts_with("0."), "{tip:?}");
}

fn it_is_dark_in_the_dark(browser: &mut Browser) {
    let paper = "getComputedStyle(document.body).backgroundColor";
    let light = browser.value(paper);
    let dark = json!({"features": [{"name": "prefers-color-scheme", "value": "dark"}]});
    browser.call("Emulation.setEmulatedMedia", dark);
    assert_ne!(browser.value(paper), light);
}

fn it_is_whole_without_scripts(browser: &mut Browser, file: &Path) {
    browser.call("Emulation.setScriptExecutionDisabled", json!({"value": true}));
    browser.open(file);
    assert_eq!(figures(browser, 300.0).len(), 5);
    assert_eq!(browser.value("document.querySelector('.tip')"), Value::Null, "the script did not run");
}
