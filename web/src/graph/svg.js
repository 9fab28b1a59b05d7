// SPDX-License-Identifier: BSD-3-Clause
//
// A drawing context that writes SVG instead of pixels: the picture that is exported is the picture that is drawn.

/** Returns a text as it is written in SVG. */
export const escaped = text => String(text).replace(/[&<>"']/g, letter => `&#${letter.charCodeAt(0)};`);
const round = value => Number(value.toFixed(2));

/* The width of a text at a size of 1 px, about that of the widest of the usual fonts: the picture may be shown with
   another one than it was made with. */
const aboutWidth = (text, isBold) => text.length * (isBold ? 0.66 : 0.59);

/** The part of CanvasRenderingContext2D that the graph is drawn with. */
export class SvgContext {
  constructor(width, height) {
    this.width = width;
    this.height = height;
    this.parts = [];
    this.path = '';
    this.fillStyle = '#000';
    this.strokeStyle = '#000';
    this.lineWidth = 1;
    this.globalAlpha = 1;
    this.font = '10px sans-serif';
    this.textAlign = 'left';
    this.dash = [];
    this.widths = new Map();
  }

  setTransform() {}
  setLineDash(dash) {
    this.dash = dash;
  }
  beginPath() {
    this.path = '';
  }
  moveTo(x, y) {
    this.path += `M${round(x)} ${round(y)}`;
  }
  lineTo(x, y) {
    this.path += `L${round(x)} ${round(y)}`;
  }
  quadraticCurveTo(a, b, x, y) {
    this.path += `Q${round(a)} ${round(b)} ${round(x)} ${round(y)}`;
  }
  closePath() {
    this.path += 'Z';
  }
  rect(x, y, w, h) {
    this.path += `M${round(x)} ${round(y)}h${round(w)}v${round(h)}h${round(-w)}Z`;
  }

  roundRect(x, y, w, h, radius) {
    const r = Math.min(radius, w / 2, h / 2),
      arc = (dx, dy) => `a${round(r)} ${round(r)} 0 0 1 ${round(dx)} ${round(dy)}`;
    this.path += `M${round(x + r)} ${round(y)}h${round(w - 2 * r)}${arc(r, r)}v${round(h - 2 * r)}${arc(
      -r,
      r,
    )}h${round(2 * r - w)}${arc(-r, -r)}v${round(2 * r - h)}${arc(r, -r)}Z`;
  }

  get opacity() {
    return this.globalAlpha < 1 ? ` opacity="${round(this.globalAlpha)}"` : '';
  }
  get outline() {
    return `fill="none" stroke="${escaped(this.strokeStyle)}" stroke-width="${round(this.lineWidth)}"${
      this.dash.length ? ` stroke-dasharray="${this.dash.join(' ')}"` : ''
    }${this.opacity}`;
  }
  fill() {
    if (this.path) this.parts.push(`<path d="${this.path}" fill="${escaped(this.fillStyle)}"${this.opacity}/>`);
  }
  stroke() {
    if (this.path) this.parts.push(`<path d="${this.path}" ${this.outline}/>`);
  }
  fillRect(x, y, w, h) {
    const size = `width="${round(w)}" height="${round(h)}"`;
    this.parts.push(`<rect x="${round(x)}" y="${round(y)}" ${size} fill="${escaped(this.fillStyle)}"${this.opacity}/>`);
  }
  strokeRect(x, y, w, h) {
    this.parts.push(`<rect x="${round(x)}" y="${round(y)}" width="${round(w)}" height="${round(h)}" ${this.outline}/>`);
  }

  get letters() {
    const [, weight, size] = /^(?:(\d+) )?([\d.]+)px/.exec(this.font);
    return {weight, size: Number(size)};
  }

  measureText(text) {
    return {width: aboutWidth(text, this.letters.weight) * this.letters.size};
  }

  fillText(text, x, y, room) {
    const {weight, size} = this.letters,
      anchor = {left: 'start', right: 'end', center: 'middle'}[this.textAlign];
    this.parts.push(
      `<text x="${round(x)}" y="${round(y)}" font-size="${size}"${weight ? ` font-weight="${weight}"` : ''}${
        room ? ` textLength="${round(room)}" lengthAdjust="spacingAndGlyphs"` : ''
      } text-anchor="${anchor}" fill="${escaped(this.fillStyle)}"${this.opacity}>${escaped(text)}</text>`,
    );
  }

  /** The picture as text. */
  text() {
    const size = `width="${Math.ceil(this.width)}" height="${Math.ceil(this.height)}"`,
      head = `<svg xmlns="http://www.w3.org/2000/svg" ${size} font-family="system-ui, sans-serif">`;
    return `${head}${this.parts.join('\n')}</svg>\n`;
  }
}
