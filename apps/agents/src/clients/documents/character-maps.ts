/**
 * The resources that pdf.js requests besides the document: none is provided, and requests are
 * noted.
 */
export type CharacterMaps = {
  BinaryDataFactory: new () => {
    fetch: (wanted: { kind: string; filename: string }) => Promise<never>;
  };
  /** Returns the first missing character table without which the text cannot be read. */
  missing: () => string | undefined;
};

/**
 * Fonts can refer to Adobe's character tables (1.6 MB, for Chinese, Japanese and Korean), which no
 * package without native code ships. If only glyph shapes are missing, the text can still be read.
 */
export const createCharacterMaps = (): CharacterMaps => {
  let missing: string | undefined;
  return {
    BinaryDataFactory: class {
      fetch = async ({ kind, filename }: { kind: string; filename: string }): Promise<never> => {
        if (kind === 'cMapUrl') missing ??= filename.replace(/\.bcmap$/, '');
        throw new Error(`${filename} is not at hand.`);
      };
    },
    missing: () => missing,
  };
};
