//! Charts of measured figures: SVG files in the folder given by the variable `CHARTS`, none without it. Leaves out the measuring
//! itself.
use std::error::Error;
use std::ops::Range;
use std::path::{Path, PathBuf};

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

const WIDTH: u32 = 760;
const FONT: &str = "sans-serif";
const BAR: RGBColor = RGBColor(0, 90, 181);
const INK: RGBColor = RGBColor(36, 41, 47);
const GRID: RGBColor = RGBColor(225, 228, 232);

type Drawn = Result<(), Box<dyn Error>>;

/// A chart: its file name without the extension, its title, and the unit of its figures.
pub struct Chart<'a> {
    /// File name without the extension.
    pub name: &'a str,
    /// What is compared.
    pub title: &'a str,
    /// Unit of the figures.
    pub unit: &'a str,
}

impl Chart<'_> {
    /// A bar for each figure, on a logarithmic scale, because peers are often a thousand times apart.
    ///
    /// # Panics
    /// If the file cannot be written, or there is no figure above zero.
    pub fn bars(&self, figures: &[(impl AsRef<str>, f64)]) {
        if let Some(path) = self.path() {
            self.draw_bars(&path, figures).expect("a chart of figures above zero");
        }
    }

    fn path(&self) -> Option<PathBuf> {
        let folder = std::env::var_os("CHARTS").filter(|folder| !folder.is_empty())?;
        Some(Path::new(&folder).join(format!("{}.svg", self.name)))
    }

    fn draw_bars(&self, path: &Path, figures: &[(impl AsRef<str>, f64)]) -> Drawn {
        let rows = f64::from(u32::try_from(figures.len())?);
        let height = 96 + 34 * u32::try_from(figures.len())?;
        let root = SVGBackend::new(path, (WIDTH, height)).into_drawing_area();
        root.fill(&WHITE)?;
        let scale = decades(figures.iter().map(|(_, figure)| *figure))?;
        let least = scale.start;
        let mut chart = ChartBuilder::on(&root)
            .caption(self.title, (FONT, 17).into_font().color(&INK))
            .margin(12)
            .margin_right(90)
            .set_label_area_size(LabelAreaPosition::Left, 250)
            .set_label_area_size(LabelAreaPosition::Bottom, 40)
            .build_cartesian_2d(scale.log_scale(), 0.0..rows)?;
        let label = (FONT, 13).into_font().color(&INK);
        chart
            .configure_mesh()
            .disable_y_mesh()
            .disable_y_axis()
            .light_line_style(TRANSPARENT)
            .bold_line_style(GRID)
            .x_desc(self.unit)
            .x_label_formatter(&|figure| spelled(*figure))
            .label_style(label.clone())
            .draw()?;
        let mut middle = rows - 0.5;
        for (name, figure) in figures {
            let corners = [(least, middle - 0.32), (*figure, middle + 0.32)];
            chart.draw_series([Rectangle::new(corners, BAR.filled())])?;
            let ((edge, y), (end, _)) =
                (chart.backend_coord(&(least, middle)), chart.backend_coord(&(*figure, middle)));
            root.draw(&Text::new(
                spelled(*figure),
                (end + 6, y),
                label.pos(Pos::new(HPos::Left, VPos::Center)),
            ))?;
            root.draw(&Text::new(
                name.as_ref().to_owned(),
                (edge - 8, y),
                label.pos(Pos::new(HPos::Right, VPos::Center)),
            ))?;
            middle -= 1.0;
        }
        Ok(root.present()?)
    }
}

/// The whole powers of ten around all figures.
fn decades(figures: impl Iterator<Item = f64>) -> Result<Range<f64>, Box<dyn Error>> {
    let (mut least, mut most) = (f64::INFINITY, 0.0_f64);
    for figure in figures {
        (least, most) = (least.min(figure), most.max(figure));
    }
    if !(least > 0.0 && least <= most && most.is_finite()) {
        return Err("a figure is not above zero".into());
    }
    let (from, to) = (least.log10().floor(), most.log10().ceil());
    Ok(10_f64.powf(from)..10_f64.powf(to.max(from + 1.0)))
}

/// Three significant digits, with thousands separators.
fn spelled(figure: f64) -> String {
    let places = if figure >= 100.0 {
        0
    } else if figure >= 10.0 {
        1
    } else {
        2
    };
    let text = format!("{figure:.places$}");
    let (whole, rest) = text.split_once('.').unwrap_or((&text, ""));
    let mut parted = String::new();
    for (place, digit) in whole.chars().enumerate() {
        if place > 0 && (whole.len() - place) % 3 == 0 {
            parted.push(',');
        }
        parted.push(digit);
    }
    let rest = rest.trim_end_matches('0');
    if rest.is_empty() { parted } else { format!("{parted}.{rest}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_spelled_with_thousands_parted() {
        for (figure, text) in
            [(0.5, "0.5"), (1.0, "1"), (12.34, "12.3"), (999.6, "1,000"), (1e6, "1,000,000")]
        {
            assert_eq!(spelled(figure), text);
        }
    }

    #[test]
    fn scale_holds_every_figure() {
        assert_eq!(decades([3.0, 40.0, 999.0].into_iter()).unwrap(), 1.0..1000.0);
        assert_eq!(decades([10.0].into_iter()).unwrap(), 10.0..100.0);
        assert!(decades([0.0].into_iter()).is_err());
        assert!(decades(std::iter::empty()).is_err());
    }

    #[test]
    fn charts_show_every_name_and_figure() {
        let folder = tempfile::tempdir().unwrap();
        let chart = Chart { name: "c", title: "a & b", unit: "ns" };
        let path = folder.path().join("c.svg");
        chart.draw_bars(&path, &[("one <b>", 12.5), ("two", 4_000.0)]).unwrap();
        let svg = std::fs::read_to_string(&path).unwrap();
        for text in ["a &amp; b", "one &lt;b&gt;", "two", "12.5", "4,000", "ns"] {
            assert!(svg.contains(text), "{text} in {svg}");
        }
    }
}
