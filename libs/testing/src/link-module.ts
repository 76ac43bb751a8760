import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { fileURLToPath } from 'node:url';
import { SourceTextModule } from 'node:vm';
import type { Context } from 'node:vm';

/**
 * Loads a module and its imports into a VM `context`, strips TypeScript types and links the
 * modules, but does not evaluate them. `resolve` resolves package names; callers usually pass their
 * own `import.meta.resolve`.
 */
export const linkModule = async (
  entry: URL,
  { context, resolve }: { context: Context; resolve: (name: string) => string },
): Promise<SourceTextModule> => {
  const modules = new Map<string, SourceTextModule>();
  const moduleAt = (href: string): SourceTextModule => {
    const known = modules.get(href);
    if (known) return known;
    const text = readFileSync(fileURLToPath(href), 'utf8');
    const code = href.endsWith('.ts') ? stripTypeScriptTypes(text) : text;
    const module = new SourceTextModule(code, { context, identifier: href });
    modules.set(href, module);
    return module;
  };
  const module = moduleAt(entry.href);
  await module.link((name, { identifier }) =>
    moduleAt(name.startsWith('.') ? new URL(name, identifier).href : resolve(name)),
  );
  return module;
};
