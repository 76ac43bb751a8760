import { isCode, type Finding, type Rule } from '../tree.ts';

const BANNED =
  /^(utils?|helpers?|common|misc|shared|types?|constants?|managers?|base)$|-(utils?|helpers?)$/;

/** Applies to a name up to its first dot only, because Jest and Node require some suffixes. */
const KEBAB_CASE = /^[a-z0-9]+(-[a-z0-9]+)*$/;

/** Checks STYLE.md "Naming": file names are kebab-case and specific. */
export const fileNames: Rule = (tree) =>
  tree.paths.filter(isCode).flatMap((path) => {
    const parts = path.split('/');
    const stem = (parts.pop() ?? '').split('.')[0] ?? '';
    const unspecific = [...parts, stem].find((part) => BANNED.test(part));
    const findings: Finding[] = [];
    if (unspecific) {
      findings.push({
        path,
        message: `has the unspecific name "${unspecific}": name it by content, or inline it.`,
      });
    }
    if (!KEBAB_CASE.test(stem)) {
      findings.push({ path, message: 'is not named in kebab-case after its main export.' });
    }
    return findings;
  });
