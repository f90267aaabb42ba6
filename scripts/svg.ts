const round = (value: number) => Math.round(value * 10) / 10;

/** A text of a plot. @param more Further attributes. */
export function svgText(x: number, y: number, words: string, more = ''): string {
  return `<text x="${round(x)}" y="${round(y)}" ${more}>${words}</text>`;
}

/** A filled rectangle. */
export function svgBox(x: number, y: number, width: number, height: number, fill: string): string {
  return `<rect x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}" fill="${fill}"/>`;
}

/** A dashed vertical line. */
export function svgMark(x: number, from: number, until: number): string {
  return `<line x1="${round(x)}" x2="${round(x)}" y1="${round(from)}" y2="${round(until)}" stroke="#999" stroke-dasharray="2 3"/>`;
}
