// A chart as it is on the page, as a picture: every SVG and canvas of it, with the page's colours and background.

import { language } from '../texts/language.svelte';

/** What of an element's look is drawn; all of it can be said by attributes. */
const LOOK = [
  'fill', 'fill-opacity', 'stroke', 'stroke-width', 'stroke-dasharray', 'stroke-opacity', 'opacity', 'font-size', 'font-weight',
  'font-family', 'text-anchor', 'paint-order', 'visibility', 'display',
];
const MARGIN = 16;
const HEAD = 34;

/** A copy of an SVG that needs no style sheet. */
function selfContained(svg: SVGSVGElement): SVGSVGElement {
  const copy = svg.cloneNode(true) as SVGSVGElement;
  const copies = copy.querySelectorAll<SVGElement>('*');
  svg.querySelectorAll('*').forEach((it, index) => {
    const style = getComputedStyle(it);
    for (const name of LOOK) copies[index]?.setAttribute(name, style.getPropertyValue(name));
  });
  const { width, height } = svg.getBoundingClientRect();
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  copy.setAttribute('width', String(width));
  copy.setAttribute('height', String(height));
  return copy;
}

async function imageOf(svg: SVGSVGElement): Promise<HTMLImageElement> {
  const image = new Image();
  // As an address of its own: the content policy allows no others.
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(selfContained(svg)))}`;
  await image.decode();
  return image;
}

/** Where an element would be if nothing of it stayed in sight while the page is scrolled. */
function placeOf(it: SVGSVGElement | HTMLCanvasElement): DOMRect {
  if (getComputedStyle(it).position !== 'sticky') return it.getBoundingClientRect();
  it.style.position = 'static';
  const place = it.getBoundingClientRect();
  it.style.removeProperty('position');
  return place;
}

/** The charts in an element as a PNG below a title, so many pixels for each of the page's. */
export async function pictureOf(root: HTMLElement, title: string, scale = 2): Promise<Blob> {
  const around = root.getBoundingClientRect();
  const parts = [...root.querySelectorAll<SVGSVGElement | HTMLCanvasElement>('svg, canvas')].map((it) => ({ it, place: placeOf(it) }));
  const top = Math.min(...parts.map(({ place }) => place.top));
  const bottom = Math.max(...parts.map(({ place }) => place.bottom));
  const canvas = document.createElement('canvas');
  canvas.width = Math.round((around.width + 2 * MARGIN) * scale);
  canvas.height = Math.round((bottom - top + HEAD + MARGIN) * scale);
  const pen = canvas.getContext('2d');
  if (!pen) throw new Error(language.texts.ui.saveChart.noPictures);
  const style = getComputedStyle(root);
  const ground = getComputedStyle(root.closest('.card') ?? document.body).backgroundColor;
  pen.scale(scale, scale);
  pen.fillStyle = ground;
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.fillStyle = style.color;
  pen.font = `600 14px ${style.fontFamily}`;
  pen.fillText(title, MARGIN, 22, around.width);
  for (const { it, place } of parts) {
    const source = it instanceof HTMLCanvasElement ? it : await imageOf(it);
    pen.drawImage(source, place.left - around.left + MARGIN, place.top - top + HEAD, place.width, place.height);
  }
  return new Promise((done, failed) =>
    canvas.toBlob((blob) => (blob ? done(blob) : failed(new Error(language.texts.ui.saveChart.tooLarge))), 'image/png'),
  );
}
