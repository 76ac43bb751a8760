export type Language = 'en' | 'de';

/**
 * Words by which a language is recognized: words that are frequent in it and rare in the other one,
 * and usual scenario names.
 */
const MARKERS: Readonly<Record<Language, ReadonlySet<string>>> = {
  en: new Set(
    (
      'the of and to with for from is are we our this that by what how if it as on at be will ' +
      'should company base case growth price prices year years boom baseline plan next'
    ).split(' '),
  ),
  de: new Set(
    (
      'der die das und mit für von ist sind wir unser unsere unserer dies dass wie ob es als auf ' +
      'bei wird werden soll ein eine einer eines nicht zu zur zum im den dem des oder ohne ' +
      'unternehmen firma basisfall grundszenario wachstum preis preise jahr jahre rezession ' +
      'aufschwung abschwung krise bäckerei krankenhaus klinik werk umsatz szenario energie ' +
      'energiekrise energieschock sparkurs ausbau übernahme teuerung'
    ).split(' '),
  ),
};
const UMLAUT = /[äöüß]/iu;

/**
 * Returns German if the texts contain more typical German words and umlauts than typical English
 * words, otherwise English.
 */
export const detectLanguage = (texts: readonly string[]): Language => {
  const words =
    texts
      .join(' ')
      .toLowerCase()
      .match(/\p{L}+/gu) ?? [];
  const count = (language: Language): number =>
    words.filter((word) => MARKERS[language].has(word)).length;
  const german = count('de') + words.filter((word) => UMLAUT.test(word)).length;
  return german > count('en') ? 'de' : 'en';
};
