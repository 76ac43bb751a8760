import type { Request, Response } from 'express';

const NAME_LENGTH_MAX = 128;

/**
 * Returns a value in a form that a header can contain: spaces, commas, percent signs and characters
 * outside ASCII are percent-encoded, and long values are truncated.
 */
export const toHeaderText = (value: string): string => {
  const text = value.toWellFormed().replaceAll(/[^\x21-\x7e]|[,%]/gu, encodeURIComponent);
  return text.length > NAME_LENGTH_MAX ? `${text.slice(0, NAME_LENGTH_MAX)}...` : text;
};

/**
 * Maximum number of names in a header, because some clients reject headers of more than a few KiB.
 */
const LISTED_MAX = 30;

export const toHeaderList = (values: readonly string[]): string => {
  const listed = values.slice(0, LISTED_MAX).map(toHeaderText);
  return [...listed, ...(values.length > LISTED_MAX ? ['...'] : [])].join(', ');
};

export const setDroppedParamsHeader = (response: Response, names: readonly string[]): void => {
  if (names.length > 0) {
    response.setHeader('x-service-dropped-params', toHeaderList(names));
  }
};

/**
 * Returns whether the client wants unknown fields to be errors, which it requests with `Prefer:
 * handling=strict` (RFC 7240 section 4.4).
 */
export const isStrict = (request: Request): boolean =>
  /(^|,)\s*handling\s*=\s*"?strict"?\s*(;|,|$)/i.test(request.get('prefer') ?? '');

export const setIgnoredFieldsHeader = (response: Response, paths: readonly string[]): void => {
  if (paths.length === 0) return;
  response.setHeader('x-service-ignored-fields', toHeaderList(paths));
};
