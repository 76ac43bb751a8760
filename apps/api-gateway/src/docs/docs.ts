import { hash } from 'node:crypto';
import type { OpenapiDocument } from './to-openapi.ts';
import type { Route } from '../http/route.ts';
import { renderPage } from './docs-page.ts';
import { SCRIPT } from './docs-script.ts';
import { STYLE } from './docs-style.ts';

const sourceOf = (text: string): string => `'sha256-${hash('sha256', text, 'base64')}'`;

const POLICY = [
  "default-src 'none'",
  `style-src ${sourceOf(STYLE)}`,
  `script-src ${sourceOf(SCRIPT)}`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export const docsRoute = (read: () => OpenapiDocument): Route => {
  let page: Promise<string> | undefined;
  return {
    id: 'getDocs',
    method: 'get',
    path: '/docs',
    surface: 'native',
    tag: 'Reference',
    summary: 'This reference as a page',
    scopes: undefined,
    responses: {
      200: {
        description: 'The page; it loads nothing else, from nowhere',
        contentType: 'text/html',
        schema: { type: 'string' },
      },
    },
    handle: async () => ({
      status: 200,
      text: await (page ??= renderPage(read())),
      headers: {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': POLICY,
      },
    }),
  };
};
