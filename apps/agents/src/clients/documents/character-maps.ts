/** What pdf.js asks for beside the document: it is given nothing, and what it lacked is known. */
export type CharacterMaps = {
  BinaryDataFactory: new () => {
    fetch: (wanted: { kind: string; filename: string }) => Promise<never>;
  };
  /** The first table of characters that a document's text cannot be read without. */
  missing: () => string | undefined;
};

/**
 * A font may leave it to a table of Adobe's what its codes mean; those tables (1.6 MB, for Chinese,
 * Japanese and Korean) come with no package that is free of native code. Fonts of which only the
 * shapes are missing can be read.
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
