import { deflateSync } from 'node:zlib';

export type PdfParts = {
  pages: readonly (readonly string[])[];
  title?: string;
  /** Bodies of additional PDF objects, numbered from 1000. */
  extraObjects?: readonly string[];
  trailer?: string;
  font?: string;
};

export const writePdf = ({
  pages,
  title,
  extraObjects = [],
  trailer = '',
  font,
}: PdfParts): Buffer => {
  const objects = new Map<number, Buffer>();
  const kids = pages.map((_, index) => `${10 + index * 2} 0 R`).join(' ');
  objects.set(1, Buffer.from('<< /Type /Catalog /Pages 2 0 R >>'));
  objects.set(2, Buffer.from(`<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`));
  objects.set(3, Buffer.from(font ?? '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>'));
  objects.set(4, Buffer.from(title ? `<< /Title (${title}) >>` : '<< >>'));
  for (const [index, lines] of pages.entries()) {
    const page = `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${
      11 + index * 2
    } 0 R /Resources << /Font << /F1 3 0 R >> >> >>`;
    objects.set(10 + index * 2, Buffer.from(page));
    objects.set(11 + index * 2, writeStream(Buffer.from(toContent(lines), 'latin1')));
  }
  for (const [index, object] of extraObjects.entries())
    objects.set(1000 + index, Buffer.from(object));
  return writeFile(objects, trailer);
};

const toContent = (lines: readonly string[]): string => {
  const shown = lines.map((line) => `(${line.replace(/[()\\]/g, String.raw`\$&`)}) Tj 0 -14 Td`);
  return `BT /F1 12 Tf 72 720 Td ${shown.join('\n')} ET`;
};

export const writeStream = (content: Buffer): Buffer => toStream(deflateSync(content));

/** Returns a PDF stream object that contains `packed`, data already compressed with deflate. */
export const toStream = (packed: Buffer): Buffer =>
  Buffer.concat([
    Buffer.from(`<< /Length ${packed.length} /Filter /FlateDecode >>\nstream\n`),
    packed,
    Buffer.from('\nendstream'),
  ]);

export const writeFile = (objects: ReadonlyMap<number, Buffer>, trailer: string): Buffer => {
  const parts = [Buffer.from('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n', 'latin1')];
  const offsets = new Map<number, number>();
  let length = parts[0]!.length;
  for (const [number, object] of objects) {
    offsets.set(number, length);
    const part = Buffer.concat([
      Buffer.from(`${number} 0 obj\n`),
      object,
      Buffer.from('\nendobj\n'),
    ]);
    parts.push(part);
    length += part.length;
  }
  const table = [...offsets].map(
    ([number, offset]) => `${number} 1\n${String(offset).padStart(10, '0')} 00000 n \n`,
  );
  const size = Math.max(...objects.keys()) + 1;
  parts.push(
    Buffer.from(
      `xref\n0 1\n0000000000 65535 f \n${table.join('')}trailer\n` +
        `<< /Size ${size} /Root 1 0 R /Info 4 0 R ${trailer} >>\nstartxref\n${length}\n%%EOF\n`,
    ),
  );
  return Buffer.concat(parts);
};
