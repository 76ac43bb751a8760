import { describe, expect, it } from '@jest/globals';
import { MEDIA_TYPES } from './document-text.ts';
import type { DocumentFormat } from './document-text.ts';
import { recogniseFormat } from './recognise-format.ts';

const { pdf: PDF, docx: DOCX } = MEDIA_TYPES;

describe('recogniseFormat', () => {
  const CASES: readonly (readonly [string, string, string, string, DocumentFormat])[] = [
    ['a PDF with another type and name', '%PDF-1.7\n', 'text/plain', 'notes.txt', 'pdf'],
    ['a declared PDF after other bytes', 'HTTP/1.1 200\n%PDF-1.4', PDF, '', 'pdf'],
    ['a text about PDF', 'It begins with %PDF-1.7.', '', 'about.txt', 'text'],
    ['a ZIP', 'PK\x03\x04rest', '', '', 'docx'],
    ['an HTML page', '<!DOCTYPE html><p>', '', '', 'html'],
    [
      'an HTML page declared as text',
      ' <!-- a --> <!-- b -->\n<HTML lang="en">',
      'text/plain',
      '',
      'html',
    ],
    ['XHTML', '<?xml version="1.0"?>\n<html xmlns="x">', '', 'a.xml', 'html'],
    ['an HTML fragment, by its type', '<p>Hello', 'text/html; charset=utf-8', 'a.txt', 'html'],
    ['an HTML fragment, by its name', '<p>Hello', 'application/octet-stream', 'a.HTM', 'html'],
    ['a type before a name', '<p>Hello', 'text/plain', 'a.html', 'text'],
    ['Markdown, by its type', 'Hello', 'text/markdown', 'a.txt', 'markdown'],
    ['Markdown, by its name', 'Hello', 'text/plain', 'a.md', 'markdown'],
    ['any other text', '{"a":1}', 'application/json', 'a.json', 'text'],
    ['types and names of inherited members', 'Hello', '__proto__', 'constructor', 'text'],
  ];
  it.each(CASES)('detects %s', (_name, content, mediaType, fileName, format) => {
    const bytes = Buffer.from(content, 'latin1');
    expect(recogniseFormat(bytes, { mediaType, fileName })).toBe(format);
  });

  it('detects HTML in UTF-16', () => {
    const bytes = Buffer.from('\ufeff<!DOCTYPE html><p>', 'utf16le');
    expect(recogniseFormat(bytes, { mediaType: '', fileName: '' })).toBe('html');
  });

  it.each([
    ['RTF', '{\\rtf1', ''],
    ['PostScript', '%!PS-Adobe', ''],
    ['an old Office file', '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', ''],
    ['an empty ZIP', 'PK\x05\x06', ''],
    ['text declared as PDF', 'Hello', PDF],
    ['text declared as DOCX', 'Hello', DOCX],
  ])('rejects %s', (_name, content, mediaType) => {
    const bytes = Buffer.from(content, 'latin1');
    expect(() => recogniseFormat(bytes, { mediaType, fileName: '' })).toThrow(
      expect.objectContaining({ reason: 'UNSUPPORTED_MEDIA_TYPE' }),
    );
  });

  it('takes linear time for a hostile beginning', () => {
    const bytes = Buffer.from('<!---->'.repeat(10_000));
    expect(recogniseFormat(bytes, { mediaType: '', fileName: '' })).toBe('text');
  });
});
