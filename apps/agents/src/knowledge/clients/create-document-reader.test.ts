import { afterAll, describe, expect, it } from '@jest/globals';
import { paragraph, writeDocx, writeZip } from '../../../test/documents/write-docx.ts';
import { writePdf } from '@witan/testing/write-pdf';
import { splitChunks } from '../chunks/split-chunks.ts';
import type { ChunkedDocument } from '../documents/document-text.ts';
import { createDocumentReader } from './create-document-reader.ts';

const reader = createDocumentReader();
afterAll(reader.close);
const read = (
  content: string | Uint8Array,
  fileName = '',
  mediaType = '',
): Promise<ChunkedDocument> =>
  reader.readDocument(Buffer.from(content as string), { mediaType, fileName, owner: 'ws_1' });

describe('reading a PDF', () => {
  const pages = Array.from({ length: 12 }, (_, index) => [
    `The heading of page ${index + 1}`,
    '',
    'A sentence that goes on and is car-',
    `ried over (to the next) line of page ${index + 1}.`,
  ]);

  it('numbers pages, keeps line breaks and joins hyphenated words', async () => {
    const document = await read(writePdf({ pages, title: 'Twelve pages' }), 'twelve.pdf');
    expect(document).toMatchObject({ mediaType: 'application/pdf', title: 'Twelve pages' });
    expect(document.pageStarts).toHaveLength(12);
    const seventh = document.text.slice(...document.pageStarts!.slice(6, 8));
    expect(seventh).toBe(
      'The heading of page 7\n\nA sentence that goes on and is carried over (to the next) line of page 7.\n\n',
    );
    expect(document.chunks).toEqual(splitChunks(document));
    expect(document.chunks.findIndex(({ page }) => page === 7)).toBe(6);
  });

  it('counts pages without text', async () => {
    const document = await read(writePdf({ pages: [[], ['Two'], [], ['Four']] }), 'x.pdf');
    expect(document.title).toBe('x.pdf');
    const { text, chunks } = document;
    expect(chunks.map(({ start, end, page }) => [text.slice(start, end), page])).toEqual([
      ['Two', 2],
      ['Four', 4],
    ]);
  });

  const ENCRYPTION = `<< /Filter /Standard /V 1 /R 2 /P -4 /O <${'41'.repeat(32)}> /U <${'42'.repeat(32)}> >>`;
  const JAPANESE =
    '<< /Type /Font /Subtype /Type0 /BaseFont /R /Encoding /90ms-RKSJ-H /DescendantFonts [1000 0 R] >>';
  const DESCENDANT =
    '<< /Type /Font /Subtype /CIDFontType0 /BaseFont /R /CIDSystemInfo << /Registry (Adobe) /Ordering (Japan1) /Supplement 2 >> >>';
  it.each([
    ['is scanned', writePdf({ pages: [[], []] }), /holds no text.*recognition/],
    [
      'is encrypted',
      writePdf({ pages, extraObjects: [ENCRYPTION], trailer: '/Encrypt 1000 0 R /ID [<41><41>]' }),
      /password/,
    ],
    ['is cut off', writePdf({ pages }).subarray(0, 300), /damaged/],
    [
      'needs a missing character map',
      writePdf({ pages, font: JAPANESE, extraObjects: [DESCENDANT] }),
      /90ms-RKSJ-H/,
    ],
  ])('rejects a PDF that %s', async (_name, bytes, message) => {
    await expect(read(bytes)).rejects.toMatchObject({
      reason: 'INVALID_REQUEST',
      message: expect.stringMatching(message),
    });
  });
});

describe('reading a Word document', () => {
  it('returns headings, lists, tables and notes as Markdown', async () => {
    const body = [
      paragraph('Der Plan', '<w:pStyle w:val="berschrift1"/>'),
      paragraph('First &amp; last', '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>'),
      paragraph('below', '<w:numPr><w:ilvl w:val="1"/><w:numId w:val="1"/></w:numPr>'),
      '<w:p><w:r><w:t>kept </w:t></w:r><w:del><w:r><w:delText>deleted</w:delText></w:r></w:del>' +
        '<w:ins><w:r><w:t>new</w:t><w:tab/><w:t>tab</w:t><w:br/><w:t>line</w:t></w:r></w:ins></w:p>',
      '<mc:AlternateContent><mc:Choice><w:p><w:r><w:t>once</w:t></w:r></w:p></mc:Choice>' +
        '<mc:Fallback><w:p><w:r><w:t>twice</w:t></w:r></w:p></mc:Fallback></mc:AlternateContent>',
      `<w:tbl><w:tr><w:tc>${paragraph('a')}</w:tc><w:tc>${paragraph('b')}${paragraph('c')}</w:tc></w:tr>` +
        `<w:tr><w:tc>${paragraph('')}</w:tc><w:tc>${paragraph('d')}</w:tc></w:tr></w:tbl>`,
    ].join('');
    const document = await read(
      writeDocx({
        body,
        title: 'Plan A',
        styles: '<w:style w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style>',
        footnotes: `<w:footnote w:type="separator">${paragraph('---')}</w:footnote><w:footnote>${paragraph('A note.')}</w:footnote>`,
      }),
    );
    expect(document).toMatchObject({
      mediaType: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
      title: 'Plan A',
      text: [
        '# Der Plan',
        '- First & last\n  - below',
        'kept new tab\nline',
        'once',
        'a | b\n\nc\n | d',
        'A note.',
      ].join('\n\n'),
    });
    expect(document.pageStarts).toBeUndefined();
    expect(document.chunks[0]?.page).toBeNull();
  });

  it('finds the main part even if its file has another name', async () => {
    const bytes = writeDocx({ main: 'word/document2.xml', body: paragraph('Hello') });
    expect((await read(bytes, 'letter.docx')).title).toBe('letter.docx');
  });

  it.each([
    ['a ZIP of something else', writeZip({ 'a.txt': 'Hello' }), 'UNSUPPORTED_MEDIA_TYPE'],
    ['a spreadsheet', writeDocx({ main: 'xl/workbook.xml', body: '' }), 'UNSUPPORTED_MEDIA_TYPE'],
    [
      'a damaged document',
      writeDocx({ body: 'x'.repeat(999) }).subarray(0, 400),
      'INVALID_REQUEST',
    ],
    ['an empty document', writeDocx({ body: paragraph('') }), 'INVALID_REQUEST'],
  ])('rejects %s', async (_name, bytes, reason) => {
    await expect(read(bytes)).rejects.toMatchObject({ reason });
  });
});

describe('reading HTML', () => {
  it('returns the visible text', async () => {
    const document = await read(`<!DOCTYPE html><html><head><title>The &quot;Plan&quot;</title>
      <style>p { color: red }</style><script>alert("no")</script></head><body>
      <h1>One<br>two</h1><p>Caf&eacute;&nbsp;&#x41;  and
      <b>bo</b>ld.<p hidden>no</p><div style="color:red; display : none"><p>no</div>
      <ul><li>a<ul><li>b</ul><li><p>c</p></ul><template>no</template><noscript>no</noscript>
      <table><tr><th>x<th>y<tr><td><p>1</p><td><p>2</p></table>
      <pre>  let a;
  b</pre>end <svg><title>no</title></svg></body></html>`);
    expect(document).toMatchObject({ mediaType: 'text/html', title: 'The "Plan"' });
    expect(document.text).toBe(
      [
        '# One\ntwo',
        'Café A and bold.',
        '- a\n  - b\n- c',
        'x | y\n1 | 2',
        '  let a;\n  b',
        'end',
      ].join('\n\n'),
    );
  });

  it('uses the declared character set', async () => {
    const page = Buffer.from('<html><meta charset="iso-8859-2"><p>\xb1\xb6</p></html>', 'latin1');
    expect((await read(page)).text).toBe('ąś');
    expect((await read(page, '', 'text/html; charset=windows-1252')).text).toBe('±¶');
  });
});

describe('reading text', () => {
  it('leaves text unchanged, in-process and in a child process', async () => {
    for (const times of [1, 20_000]) {
      const text = '# Notes\r\n\r\n  indented\t\n\n\n| a | b |\r\n'.repeat(times);
      const document = await read(`\ufeff${text}`, 'notes.md');
      expect(document).toMatchObject({ mediaType: 'text/markdown', title: 'Notes' });
      expect(document.text === text).toBe(true);
      expect(document.chunks).toEqual(splitChunks({ text }));
    }
  });

  it.each([
    ['nothing', '', 'INVALID_REQUEST'],
    ['white space', ' \n\u3000', 'INVALID_REQUEST'],
    ['a picture', Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1'), 'UNSUPPORTED_MEDIA_TYPE'],
  ])('rejects %s', async (_name, content, reason) => {
    await expect(read(content, 'a.txt')).rejects.toMatchObject({ reason });
  });
});
