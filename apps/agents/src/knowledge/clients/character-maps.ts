/**
 * Resource loader for pdf.js that rejects every request; `findMissing` returns the first character
 * map
 * that was requested.
 */
export type CharacterMaps = {
  BinaryDataFactory: new () => {
    fetch: (wanted: { kind: string; filename: string }) => Promise<never>;
  };
  findMissing: () => string | undefined;
};

/**
 * Creates a loader without resources. Fonts for Chinese, Japanese and Korean can refer to Adobe's
 * character maps (1.6 MB), which no package without native code contains. Only a missing character
 * map makes text unreadable; missing glyph shapes do not.
 */
export const createCharacterMaps = (): CharacterMaps => {
  let findMissing: string | undefined;
  return {
    BinaryDataFactory: class {
      fetch = async ({ kind, filename }: { kind: string; filename: string }): Promise<never> => {
        if (kind === 'cMapUrl') findMissing ??= filename.replace(/\.bcmap$/, '');
        throw new Error(`${filename} is not available.`);
      };
    },
    findMissing: () => findMissing,
  };
};
