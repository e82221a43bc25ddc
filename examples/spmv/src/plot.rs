//! Charts as SVG: lines over two logarithmic axes, and bars in groups.

use std::fmt::Write;

/// A line of a chart.
pub struct Series {
    pub name: String,
    pub points: Vec<(f64, f64)>,
}

/// Lines over logarithmic axes.
pub struct Chart {
    pub title: String,
    pub x: String,
    pub y: String,
    pub series: Vec<Series>,
}

const COLOURS: [&str; 8] = ["#1b6ca8", "#c8553d", "#588157", "#8e5ba6", "#b8860b", "#3a7d7c", "#7a4b2a", "#555555"];
const WIDTH: f64 = 860.0;
const HEIGHT: f64 = 420.0;
const LEFT: f64 = 80.0;
const RIGHT: f64 = 200.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 60.0;

/// Maps values to places by their logarithm.
struct Axis {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Axis {
    fn new(values: impl Iterator<Item = f64>, from: f64, to: f64) -> Self {
        let (low, high) = values
            .filter(|value| *value > 0.0)
            .fold((f64::MAX, f64::MIN_POSITIVE), |(low, high), value| (low.min(value), high.max(value)));
        let (low, high) = if low <= high { (low / 1.1, high * 1.1) } else { (1.0, 10.0) };
        Self { low, high, from, to }
    }

    fn place(&self, value: f64) -> f64 {
        let part = (value.max(self.low) / self.low).ln() / (self.high / self.low).ln();
        self.from + (self.to - self.from) * part
    }

    /// 1, 2 and 5 of every power of ten, or powers alone if there are many.
    fn ticks(&self) -> Vec<f64> {
        let (first, last) = (self.low.log10().floor() as i32, self.high.log10().ceil() as i32);
        let steps: &[f64] = if last - first > 4 { &[1.0] } else { &[1.0, 2.0, 5.0] };
        let all = (first..=last).flat_map(|power| steps.iter().map(move |step| step * 10f64.powi(power)));
        all.filter(|tick| (self.low..=self.high).contains(tick)).collect()
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

fn short(value: f64) -> String {
    match value {
        value if value >= 1e6 => format!("{}M", value / 1e6),
        value if value >= 1e3 => format!("{}k", value / 1e3),
        value => format!("{}", (value * 1e6).round() / 1e6),
    }
}

fn begin(title: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n\
         <text x=\"{LEFT}\" y=\"24\" font-size=\"15\">{}</text>\n",
        escaped(title)
    )
}

fn legend(svg: &mut String, names: &[&str]) {
    for (index, name) in names.iter().enumerate() {
        let (x, y) = (WIDTH - RIGHT + 20.0, TOP + 10.0 + 20.0 * index as f64);
        let colour = COLOURS[index % COLOURS.len()];
        let _ = writeln!(svg, "<rect x=\"{x}\" y=\"{}\" width=\"12\" height=\"12\" fill=\"{colour}\"/>", y - 10.0);
        let _ = writeln!(svg, "<text x=\"{}\" y=\"{y}\">{}</text>", x + 18.0, escaped(name));
    }
}

fn value_axis(svg: &mut String, axis: &Axis, label: &str) {
    for tick in axis.ticks() {
        let y = axis.place(tick);
        let end = WIDTH - RIGHT;
        let _ = writeln!(svg, "<line x1=\"{LEFT}\" x2=\"{end}\" y1=\"{y:.1}\" y2=\"{y:.1}\" stroke=\"#ddd\"/>");
        let _ =
            writeln!(svg, "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>", LEFT - 6.0, y + 4.0, short(tick));
    }
    let middle = (TOP + HEIGHT - BOTTOM) / 2.0;
    let label = escaped(label);
    let _ = writeln!(
        svg,
        "<text x=\"18\" y=\"{middle}\" transform=\"rotate(-90 18 {middle})\" text-anchor=\"middle\">{label}</text>"
    );
}

impl Chart {
    /// The picture.
    pub fn svg(&self) -> String {
        let points = || self.series.iter().flat_map(|series| &series.points);
        let xs = Axis::new(points().map(|point| point.0), LEFT, WIDTH - RIGHT);
        let ys = Axis::new(points().map(|point| point.1), HEIGHT - BOTTOM, TOP);
        let mut svg = begin(&self.title);
        value_axis(&mut svg, &ys, &self.y);
        for tick in xs.ticks() {
            let (x, y) = (xs.place(tick), HEIGHT - BOTTOM);
            let _ = writeln!(svg, "<line x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{TOP}\" y2=\"{y}\" stroke=\"#eee\"/>");
            let _ =
                writeln!(svg, "<text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>", y + 18.0, short(tick));
        }
        let (middle, bottom) = ((LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 16.0);
        let _ = writeln!(svg, "<text x=\"{middle}\" y=\"{bottom}\" text-anchor=\"middle\">{}</text>", escaped(&self.x));
        for (index, series) in self.series.iter().enumerate() {
            let colour = COLOURS[index % COLOURS.len()];
            let places: Vec<_> = series.points.iter().map(|&(x, y)| (xs.place(x), ys.place(y))).collect();
            let line: Vec<String> = places.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
            let line = line.join(" ");
            let _ = writeln!(svg, "<polyline points=\"{line}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>");
            for (x, y) in places {
                let _ = writeln!(svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{colour}\"/>");
            }
        }
        let names: Vec<&str> = self.series.iter().map(|series| series.name.as_str()).collect();
        legend(&mut svg, &names);
        svg.push_str("</svg>\n");
        svg
    }
}

/// Bars in groups over one logarithmic axis; a missing value has no bar.
pub struct Bars {
    pub title: String,
    pub y: String,
    pub names: Vec<String>,
    pub groups: Vec<(String, Vec<Option<f64>>)>,
}

impl Bars {
    /// The picture.
    pub fn svg(&self) -> String {
        let values = self.groups.iter().flat_map(|(_, values)| values.iter().flatten().copied());
        let axis = Axis::new(values, HEIGHT - BOTTOM, TOP);
        let mut svg = begin(&self.title);
        value_axis(&mut svg, &axis, &self.y);
        let room = (WIDTH - RIGHT - LEFT) / self.groups.len().max(1) as f64;
        let wide = room * 0.8 / self.names.len().max(1) as f64;
        for (group, (name, values)) in self.groups.iter().enumerate() {
            let start = LEFT + room * (group as f64 + 0.1);
            for (index, value) in values.iter().enumerate() {
                let Some(value) = value else { continue };
                let (x, y) = (start + wide * index as f64, axis.place(*value));
                let (tall, colour) = (HEIGHT - BOTTOM - y, COLOURS[index % COLOURS.len()]);
                let _ = writeln!(
                    svg,
                    "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{tall:.1}\" fill=\"{colour}\"/>",
                    wide * 0.9
                );
            }
            // Long names take turns in two lines.
            let (x, y) = (start + room * 0.4, HEIGHT - BOTTOM + 18.0 + 16.0 * (group % 2) as f64);
            let name = escaped(name);
            let _ = writeln!(svg, "<text x=\"{x:.1}\" y=\"{y}\" font-size=\"10\" text-anchor=\"middle\">{name}</text>");
        }
        let names: Vec<&str> = self.names.iter().map(String::as_str).collect();
        legend(&mut svg, &names);
        svg.push_str("</svg>\n");
        svg
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_point_and_bar_is_drawn_inside() {
        let series = vec![Series { name: "a < b".to_owned(), points: vec![(1.0, 2.0), (10.0, 0.5), (1e6, 3e3)] }];
        let svg = Chart { title: "t".to_owned(), x: "x".to_owned(), y: "y".to_owned(), series }.svg();
        assert_eq!(svg.matches("<circle").count(), 3);
        assert!(svg.contains("a &lt; b"));
        let places = svg.split("cx=\"").skip(1).map(|rest| rest.split('"').next().unwrap().parse::<f64>().unwrap());
        assert!(places.into_iter().all(|x| (LEFT..=WIDTH - RIGHT).contains(&x)));
        let bars = Bars {
            title: "t".to_owned(),
            y: "y".to_owned(),
            names: vec!["a".to_owned(), "b".to_owned()],
            groups: vec![("g".to_owned(), vec![Some(1.0), None]), ("h".to_owned(), vec![Some(2.0), Some(3.0)])],
        };
        assert_eq!(bars.svg().matches("fill=\"#1b6ca8\"").count(), 3, "two bars and the legend");
    }
}
