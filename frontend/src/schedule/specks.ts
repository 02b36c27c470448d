// Bars that are only some pixels large, written into an image pixel by pixel: a hundred thousand take
// milliseconds so, and a tenth of a second as rectangles of a canvas.

const words = new Map<string, number>();

/** A colour as the word that stands for it in an image. */
export function wordOf(colour: string): number {
  let word = words.get(colour);
  if (word === undefined) {
    const canvas = document.createElement('canvas');
    canvas.width = canvas.height = 1;
    const pen = canvas.getContext('2d');
    if (pen) {
      pen.fillStyle = colour;
      pen.fillRect(0, 0, 1, 1);
      word = new Uint32Array(pen.getImageData(0, 0, 1, 1).data.buffer)[0];
    }
    words.set(colour, (word ??= 0xff888888));
  }
  return word;
}

export class Specks {
  private readonly canvas = document.createElement('canvas');
  private image = new ImageData(1, 1);
  private pixels = new Uint32Array(1);
  private any = false;

  /** Begins an empty picture. */
  begin(width: number, height: number): void {
    const [wide, tall] = [Math.max(1, Math.ceil(width)), Math.max(1, Math.ceil(height))];
    if (this.image.width !== wide || this.image.height !== tall) {
      this.image = new ImageData(wide, tall);
      this.pixels = new Uint32Array(this.image.data.buffer);
      [this.canvas.width, this.canvas.height] = [wide, tall];
    } else if (this.any) this.pixels.fill(0);
    this.any = false;
  }

  /** Adds one of the colour that a word stands for. */
  add(word: number, left: number, top: number, wide: number, tall: number): void {
    const { width, height } = this.image;
    const x0 = Math.max(0, Math.round(left));
    const y0 = Math.max(0, Math.round(top));
    // At least a pixel.
    const x1 = Math.min(width, Math.max(x0 + 1, Math.round(left + wide)));
    const y1 = Math.min(height, Math.max(y0 + 1, Math.round(top + tall)));
    for (let y = y0; y < y1; y += 1) {
      const row = y * width;
      for (let x = x0; x < x1; x += 1) this.pixels[row + x] = word;
    }
    this.any = true;
  }

  /** Puts the picture on a canvas. */
  show(pen: CanvasRenderingContext2D): void {
    if (!this.any) return;
    this.canvas.getContext('2d')?.putImageData(this.image, 0, 0);
    pen.drawImage(this.canvas, 0, 0);
  }
}
