import { Readability } from '@mozilla/readability';
import { parseHTML } from 'linkedom';
import { NodeHtmlMarkdown } from 'node-html-markdown';
import type { ReadPage } from './page-reader.ts';

/** A shorter extract misses the page: then all of it is taken. */
const shortExtract = 200;
/** More elements than this are not searched for the main text. */
const mostElements = 100_000;

const unread =
  'script, style, noscript, template, iframe, object, embed, svg, canvas, [hidden], [aria-hidden="true"]';
const hiding = /display\s*:\s*none|visibility\s*:\s*hidden/i;

/**
 * The main text of a page as Markdown with absolute links, without scripts, styles and what is hidden
 * (docs/spec/server-tools.md#web-fetch).
 * @param url Where the page came from.
 */
export function readPage(html: string, url: string): ReadPage {
  const { document } = parseHTML(/<html[\s>]/i.test(html) ? html : `<html><body>${html}</body></html>`);
  for (const element of document.querySelectorAll(unread)) element.remove();
  for (const element of document.querySelectorAll('[style]')) {
    if (hiding.test(element.getAttribute('style') ?? '')) element.remove();
  }
  const base = baseOf(document.querySelector('base[href]')?.getAttribute('href'), url);
  for (const element of document.querySelectorAll('a[href]')) makeAbsolute(element, 'href', base);
  for (const element of document.querySelectorAll('img[src]')) makeAbsolute(element, 'src', base);
  const title = document.querySelector('title')?.textContent?.trim() ?? '';
  const whole = toMarkdown(document.body?.innerHTML ?? '');
  const article = new Readability(document, { maxElemsToParse: mostElements, charThreshold: shortExtract });
  const found = extract(article);
  const content = toMarkdown(found?.content ?? '');
  return { title: found?.title || title, content: content.length < shortExtract ? whole : content };
}

function extract(article: Readability) {
  try {
    return article.parse();
  } catch {
    return null;
  }
}

function toMarkdown(html: string): string {
  return NodeHtmlMarkdown.translate(html, { keepDataImages: false }).trim();
}

function baseOf(href: string | null | undefined, url: string): string {
  return href && URL.canParse(href, url) ? new URL(href, url).href : url;
}

/** Links that lead nowhere on the web are taken away. */
function makeAbsolute(
  element: {
    getAttribute(name: string): string | null;
    setAttribute(name: string, value: string): void;
    removeAttribute(name: string): void;
  },
  name: string,
  base: string,
): void {
  const value = element.getAttribute(name) ?? '';
  if (URL.canParse(value, base)) {
    const { href, protocol } = new URL(value, base);
    if (protocol === 'http:' || protocol === 'https:' || protocol === 'mailto:') {
      element.setAttribute(name, href);
      return;
    }
  }
  element.removeAttribute(name);
}
