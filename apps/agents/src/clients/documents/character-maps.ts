/** Rejects every resource that pdf.js requests and records missing character maps. */
export type CharacterMaps = {
  BinaryDataFactory: new () => {
    fetch: (wanted: { kind: string; filename: string }) => Promise<never>;
  };
  missing: () => string | undefined;
};

/**
 * Fonts can refer to Adobe's character maps (1.6 MB, for Chinese, Japanese and Korean), which no
 * package without native code contains. A text is still readable if only glyph shapes are missing.
 */
export const createCharacterMaps = (): CharacterMaps => {
  let missing: string | undefined;
  return {
    BinaryDataFactory: class {
      fetch = async ({ kind, filename }: { kind: string; filename: string }): Promise<never> => {
        if (kind === 'cMapUrl') missing ??= filename.replace(/\.bcmap$/, '');
        throw new Error(`${filename} is not available.`);
      };
    },
    missing: () => missing,
  };
};
