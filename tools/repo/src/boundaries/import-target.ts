import { isBuiltin } from 'node:module';
import { posix } from 'node:path';
import { projectOf, type Project } from '../projects.ts';

export type ImportTarget =
  | { kind: 'node'; name: string }
  | { kind: 'package'; name: string; subpath: string; project: Project | undefined }
  | { kind: 'file'; path: string; project: Project | undefined };

export const toImportTarget = (
  projects: readonly Project[],
  from: string,
  specifier: string,
): ImportTarget => {
  if (specifier.startsWith('.')) {
    const path = posix.join(posix.dirname(from), specifier);
    return { kind: 'file', path, project: projectOf(projects, path) };
  }
  if (isBuiltin(specifier)) return { kind: 'node', name: specifier };
  const name = specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
  const subpath = specifier.slice(name.length + 1);
  const project = projects.find((candidate) => candidate.name === name && candidate.root !== '');
  return { kind: 'package', name, subpath, project };
};
