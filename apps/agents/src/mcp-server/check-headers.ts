import { invalidRequest } from '@witan/contracts';

const HEADERS_MAX = 16;
const VALUE_LENGTH_MAX = 4_096;
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/;
const VALUE = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/;

/** Headers that the client of the protocol or of HTTP sets itself. */
const RESERVED = new Set([
  'accept',
  'accept-encoding',
  'connection',
  'cookie',
  'expect',
  'host',
  'keep-alive',
  'origin',
  'te',
  'trailer',
  'traceparent',
  'tracestate',
  'transfer-encoding',
  'upgrade',
  'user-agent',
]);
const RESERVED_PREFIX = /^(content|mcp|proxy)-/;

/**
 * Throws INVALID_REQUEST for headers that cannot be sent with every request to an MCP server: other
 * characters than printable ASCII, too many, or one that the client sets itself.
 */
export const checkHeaders = (headers: Readonly<Record<string, string>>): void => {
  const entries = Object.entries(headers);
  const param = 'headers';
  if (entries.length > HEADERS_MAX) {
    throw invalidRequest(`headers may have ${HEADERS_MAX} members.`, { param });
  }
  for (const [name, value] of entries) {
    const lower = name.toLowerCase();
    if (!NAME.test(name) || RESERVED.has(lower) || RESERVED_PREFIX.test(lower)) {
      throw invalidRequest('headers has a name that cannot be set.', { param });
    }
    if (value.length > VALUE_LENGTH_MAX || !VALUE.test(value)) {
      throw invalidRequest(`headers.${name} must be printable ASCII.`, { param });
    }
  }
};
