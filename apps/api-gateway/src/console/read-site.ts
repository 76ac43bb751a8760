import { hash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';

/** A file as it is sent, with its Brotli copy if the build made one. */
export type SiteFile = {
  content: Buffer;
  compressed: Buffer | undefined;
  contentType: string;
  etag: string;
};

/** The built console: its page, and its other files by path, such as `assets/main-1a2b3c.js`. */
export type Site = { page: SiteFile; files: ReadonlyMap<string, SiteFile>; policy: string };

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

const PAGE = 'index.html';
const COMPRESSED = '.br';

/** Returns the console as it is built now, or undefined if it is not built. */
export type CurrentSite = () => Promise<Site | undefined>;

/**
 * Returns a function that reads the console again when its page has changed, so that a build needs
 * no restart. While a build replaces the folder it returns the site before; that site's files stay
 * available to pages that are open, until the build after.
 */
export const createCurrentSite = (folder: string): CurrentSite => {
  let current: { version: string; own: Site; site: Site } | undefined;
  let reading: Promise<Site | undefined> | undefined;
  const read = async (version: string): Promise<Site | undefined> => {
    const own = await readSite(folder);
    if (own === undefined) return current?.site;
    const files = new Map([...(current?.own.files ?? []), ...own.files]);
    const site = { ...own, files };
    // A build that ended meanwhile may have mixed two sites, so that the next request reads again.
    if ((await findVersion(folder)) === version) current = { version, own, site };
    return site;
  };
  return async () => {
    const version = await findVersion(folder);
    if (version === undefined || version === current?.version) return current?.site;
    // Requests that arrive together read once; a second reading would forget the build before.
    reading ??= read(version).finally(() => (reading = undefined));
    return await reading;
  };
};

const findVersion = async (folder: string): Promise<string | undefined> => {
  try {
    const { mtimeMs, ino } = await stat(join(folder, PAGE));
    return `${mtimeMs} ${ino}`;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
};

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

/**
 * Reads the whole built console into memory (about 1 MiB), so that a request can name no other file
 * of the machine. Returns undefined if the folder has no page: the console is not built.
 */
const readSite = async (folder: string): Promise<Site | undefined> => {
  const contents = await readFolder(folder);
  const names = [...contents.keys()].filter((name) => !name.endsWith(COMPRESSED));
  const files = new Map(names.map((name) => [name, toSiteFile(name, contents)]));
  const page = files.get(PAGE);
  if (page === undefined) return undefined;
  files.delete(PAGE);
  return { page, files, policy: toPolicy(page.content.toString()) };
};

/** Returns no file if the folder is missing, or is removed meanwhile. */
const readFolder = async (folder: string): Promise<Map<string, Buffer>> => {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const files = entries
      .filter((entry) => entry.isFile())
      .map(async (entry): Promise<[string, Buffer]> => {
        const file = join(entry.parentPath, entry.name);
        return [relative(folder, file).replaceAll(sep, '/'), await readFile(file)];
      });
    return new Map(await Promise.all(files));
  } catch (error) {
    if (isMissing(error)) return new Map();
    throw error;
  }
};

const toSiteFile = (name: string, contents: ReadonlyMap<string, Buffer>): SiteFile => {
  const content = contents.get(name)!;
  return {
    content,
    compressed: contents.get(`${name}${COMPRESSED}`),
    contentType: CONTENT_TYPES[extname(name)] ?? 'application/octet-stream',
    etag: `"${hash('sha256', content, 'base64url')}"`,
  };
};

/**
 * Texts of the style elements that React Aria adds to the page: buttons react to touch at once
 * (`usePress`), and an open dialog stops scrolling on iOS (`usePreventScroll`). Browsers refuse all
 * other inline styles and scripts.
 */
const LIBRARY_STYLES: readonly string[] = [
  '@layer {\n  [data-react-aria-pressable] {\n    touch-action: pan-x pan-y pinch-zoom;\n  }\n}',
  '@layer {\n  * {\n    overscroll-behavior: contain;\n  }\n}',
];

const sourceOf = (text: string): string => `'sha256-${hash('sha256', text, 'base64')}'`;

const toPolicy = (page: string): string => {
  if (/<script(?![^>]*\ssrc=)/i.test(page) || /<style|\son\w+=/i.test(page)) {
    throw new Error('The page of the console has inline code, which its policy forbids.');
  }
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' ${LIBRARY_STYLES.map(sourceOf).join(' ')}`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
};
