import { describe, expect, it } from '@jest/globals';
import { MEDIA_TYPES } from './document-text.ts';
import type { DocumentFormat } from './document-text.ts';
import { recogniseFormat } from './recognise-format.ts';

const { pdf: PDF, docx: DOCX } = MEDIA_TYPES;

describe('recognising a document', () => {
  const CASES: readonly (readonly [string, string, string, string, DocumentFormat])[] = [
    ['a PDF, whatever it is called', '%PDF-1.7\n', 'text/plain', 'notes.txt', 'pdf'],
    ['a PDF after junk, when it is called one', 'HTTP/1.1 200\n%PDF-1.4', PDF, '', 'pdf'],
    ['a text about PDF', 'It begins with %PDF-1.7.', '', 'about.txt', 'text'],
    ['a ZIP', 'PK\x03\x04rest', '', '', 'docx'],
    ['a page', '<!DOCTYPE html><p>', '', '', 'html'],
    ['a page called text', ' <!-- a --> <!-- b -->\n<HTML lang="en">', 'text/plain', '', 'html'],
    ['XHTML', '<?xml version="1.0"?>\n<html xmlns="x">', '', 'a.xml', 'html'],
    ['a part of a page, by its type', '<p>Hello', 'text/html; charset=utf-8', 'a.txt', 'html'],
    ['a part of a page, by its name', '<p>Hello', 'application/octet-stream', 'a.HTM', 'html'],
    ['a type before a name', '<p>Hello', 'text/plain', 'a.html', 'text'],
    ['Markdown, by its type', 'Hello', 'text/markdown', 'a.txt', 'markdown'],
    ['Markdown, by its name', 'Hello', 'text/plain', 'a.md', 'markdown'],
    ['anything else', '{"a":1}', 'application/json', 'a.json', 'text'],
    ['an unknown type of an unkind name', 'Hello', '__proto__', 'constructor', 'text'],
  ];
  it.each(CASES)('takes %s', (_name, content, mediaType, fileName, format) => {
    const bytes = Buffer.from(content, 'latin1');
    expect(recogniseFormat(bytes, { mediaType, fileName })).toBe(format);
  });

  it('sees a page in UTF-16', () => {
    const bytes = Buffer.from('\ufeff<!DOCTYPE html><p>', 'utf16le');
    expect(recogniseFormat(bytes, { mediaType: '', fileName: '' })).toBe('html');
  });

  it.each([
    ['RTF', '{\\rtf1', ''],
    ['PostScript', '%!PS-Adobe', ''],
    ['an old Office file', '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', ''],
    ['an empty ZIP', 'PK\x05\x06', ''],
    ['what is called PDF and is none', 'Hello', PDF],
    ['what is called DOCX and is none', 'Hello', DOCX],
  ])('refuses %s', (_name, content, mediaType) => {
    const bytes = Buffer.from(content, 'latin1');
    expect(() => recogniseFormat(bytes, { mediaType, fileName: '' })).toThrow(
      expect.objectContaining({ reason: 'UNSUPPORTED_MEDIA_TYPE' }),
    );
  });

  it('looks at a hostile beginning once', () => {
    const bytes = Buffer.from('<!---->'.repeat(10_000));
    expect(recogniseFormat(bytes, { mediaType: '', fileName: '' })).toBe('text');
  });
});
