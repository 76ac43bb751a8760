import type { Span } from '../span.ts';

const JOINS_BEFORE = /(?:[_$\\]|[\p{L}\d)\]][./-]|::\s?|->)$/u;
const JOINS_AFTER = /^(?:[_$\\(]|[./:-][\p{Ll}_]|\s?::|=[^\s]|\/\S)/u;
const ENDS_KEY = /^["']\s*:/;

export const isPartOfIdentifier = ({ start, end }: Span, text: string): boolean =>
  /[_\t]/.test(text.slice(start, end)) ||
  JOINS_BEFORE.test(text.slice(Math.max(0, start - 4), start)) ||
  JOINS_AFTER.test(text.slice(end, end + 4));

export const endsQuotedKey = ({ end }: Span, text: string): boolean =>
  ENDS_KEY.test(text.slice(end, end + 4));

/** Tags of documentation comments, which look like handles. */
const DOC_TAGS = new Set(
  `abstract access alias api async author augments borrows callback category class constant
   constructor default defaultvalue deprecated desc description enum event example experimental
   exports extends external file fires flow function generator global hidden hideconstructor ignore
   implements import inheritdoc inner instance interface internal kind lends license link listens
   member memberof method mixes mixin module name namespace noinspection nocheck override package
   param parent precondition preserve private prop property protected public readonly remarks
   requires return returns satisfies sealed see since static summary template test this throws todo
   todo tutorial type typedef typeparam typedef using variation version virtual yields`.split(
    /\s+/,
  ),
);

/** Returns true for `@` or `#` and one word that is not a documentation tag. */
export const isHandle = ({ start, end }: Span, text: string): boolean => {
  const hasMark = /[@#]/.test(text.charAt(start));
  const word = text.slice(hasMark ? start + 1 : start, end);
  if (!hasMark && !/(?:^|[\s(.:“"])[@#]$/.test(text.slice(Math.max(0, start - 2), start)))
    return false;
  return /^[\w]+$/.test(word) && !DOC_TAGS.has(word) && !/^[/(]/.test(text.slice(end, end + 1));
};

const INLINE_MAX = 80;

export const isInlineCode = ({ start, end }: Span, text: string): boolean => {
  const textBefore = text.slice(Math.max(0, start - INLINE_MAX), start);
  if (!textBefore.includes('`')) return false;
  const line = textBefore.slice(textBefore.lastIndexOf('\n') + 1);
  const after = /^[^\n`]*`/.test(text.slice(end, end + INLINE_MAX));
  return after && line.split('`').length % 2 === 0;
};
