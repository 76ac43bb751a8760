import { crc32, deflateRawSync } from 'node:zlib';

/**
 * Returns a ZIP file. `claims` maps names of files to false uncompressed sizes, which the archive
 * declares for them.
 */
export const writeZip = (
  files: Readonly<Record<string, string | Buffer>>,
  claims: Readonly<Record<string, number>> = {},
): Buffer => {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, content] of Object.entries(files)) {
    const raw = Buffer.from(content);
    const packed = raw.length > 0 ? deflateRawSync(raw) : raw;
    const head = Buffer.alloc(26);
    head.writeUInt16LE(20, 0);
    head.writeUInt16LE(raw.length > 0 ? 8 : 0, 4);
    head.writeUInt32LE(crc32(raw), 10);
    head.writeUInt32LE(packed.length, 14);
    head.writeUInt32LE(claims[name] ?? raw.length, 18);
    head.writeUInt16LE(Buffer.byteLength(name), 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), head, Buffer.from(name), packed]);
    const entry = Buffer.alloc(14);
    entry.writeUInt32LE(offset, 10);
    const versionMadeBy = Buffer.from([20, 0]);
    directory.push(
      Buffer.concat([Buffer.from('PK\x01\x02'), versionMadeBy, head, entry, Buffer.from(name)]),
    );
    parts.push(local);
    offset += local.length;
  }
  const index = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(directory.length, 4);
  end.writeUInt16LE(directory.length, 6);
  end.writeUInt32LE(index.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...parts, index, Buffer.from('PK\x05\x06'), end]);
};

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
const WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

export type DocxParts = {
  body: string;
  title?: string;
  styles?: string;
  footnotes?: string;
  main?: string;
  /** False uncompressed size of the document's text, which the archive declares. */
  claim?: number;
};

export const writeDocx = (parts: DocxParts): Buffer => {
  const { body, title, styles, footnotes, main = 'word/document.xml', claim } = parts;
  const files = {
    '[Content_Types].xml': `${XML}<Types/>`,
    '_rels/.rels': `${XML}<Relationships><Relationship Id="r" Type="${OFFICE}/officeDocument" Target="${main}"/></Relationships>`,
    [main]: `${XML}<w:document ${WORD}><w:body>${body}</w:body></w:document>`,
    ...(styles ? { 'word/styles.xml': `${XML}<w:styles ${WORD}>${styles}</w:styles>` } : {}),
    ...(footnotes
      ? { 'word/footnotes.xml': `${XML}<w:footnotes ${WORD}>${footnotes}</w:footnotes>` }
      : {}),
    ...(title
      ? {
          'docProps/core.xml': `${XML}<cp:coreProperties><dc:title>${title}</dc:title></cp:coreProperties>`,
        }
      : {}),
  };
  return writeZip(files, claim === undefined ? {} : { [main]: claim });
};

export const paragraph = (text: string, properties = ''): string =>
  `<w:p><w:pPr>${properties}</w:pPr><w:r><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`;
