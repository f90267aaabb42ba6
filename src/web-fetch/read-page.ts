import { Readability } from '@mozilla/readability';
import { parseHTML } from 'linkedom';
import { NodeHtmlMarkdown } from 'node-html-markdown';
import { decodeBody } from './decode-body.ts';

/** A page to read. */
export interface PageJob {
  readonly body: Uint8Array;
  /** The coding that its header names. */
  readonly charset: string | undefined;
  /** Where it came from. */
  readonly url: string;
}

/** A page as text. */
export interface ReadPage {
  readonly title: string;
  /** Markdown. */
  readonly content: string;
}

/** A shorter extract misses the page: then all of it is taken. */
const shortExtract = 200;
/** Tags and attributes that are parsed; what stands behind them is left out. Each takes a hundred times its characters in memory. */
const [mostTags, mostAttributes] = [20_000, 100_000];

const unread =
  'script, style, noscript, template, iframe, object, embed, svg, canvas, [hidden], [aria-hidden="true"]';
const hiding = /display\s*:\s*none|visibility\s*:\s*hidden/i;

/**
 * The main text of a page as Markdown with absolute links, without scripts, styles and what is hidden
 * (docs/spec/server-tools.md#web-fetch). `isCut` says that the page has more than is parsed. Takes memory and time with what
 * strangers wrote, so it belongs in a child process.
 */
export function readPage({ body, charset, url }: PageJob): ReadPage & { readonly isCut: boolean } {
  const html = decodeBody(body, charset);
  const part = html.slice(0, lengthToParse(html));
  return { ...readPart(part, url), isCut: part.length < html.length };
}

/** Where a page is cut: before the tag, or the attribute, that is one too many. */
function lengthToParse(html: string): number {
  let tags = 0;
  let attributes = 0;
  for (let at = 0; at < html.length; at += 1) {
    const code = html.charCodeAt(at);
    if (code === lessThan) tags += 1;
    else if (code === equals) attributes += 1;
    if (tags > mostTags || attributes > mostAttributes) return at;
  }
  return html.length;
}

const [lessThan, equals] = ['<'.charCodeAt(0), '='.charCodeAt(0)];

function readPart(html: string, url: string): ReadPage {
  const { document } = parseHTML(/<html[\s>]/i.test(html) ? html : `<html><body>${html}</body></html>`);
  for (const element of document.querySelectorAll(unread)) element.remove();
  for (const element of document.querySelectorAll('[style]')) {
    if (hiding.test(element.getAttribute('style') ?? '')) element.remove();
  }
  const base = baseOf(document.querySelector('base[href]')?.getAttribute('href'), url);
  for (const element of document.querySelectorAll('a[href]')) makeAbsolute(element, 'href', base);
  for (const element of document.querySelectorAll('img[src]')) makeAbsolute(element, 'src', base);
  const title = document.querySelector('title')?.textContent?.trim() ?? '';
  const whole = document.body?.innerHTML ?? '';
  const article = new Readability(document, { maxElemsToParse: mostTags, charThreshold: shortExtract });
  const found = extract(article);
  const content = toMarkdown(found?.content ?? '');
  return {
    title: found?.title || title,
    content: content.length < shortExtract ? toMarkdown(whole) : content,
  };
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
