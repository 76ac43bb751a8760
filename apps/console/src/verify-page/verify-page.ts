import { describeBundle } from '../proof/describe-bundle.ts';
import type { BundleResult } from '../proof/describe-bundle.ts';

const find = (id: string): HTMLElement => document.getElementById(id)!;
const field = (id: string): HTMLTextAreaElement => find(id) as HTMLTextAreaElement;

/** Reads a chosen file into a text field. */
const connectFile = (inputId: string, fieldId: string): void => {
  const input = find(inputId) as HTMLInputElement;
  input.addEventListener('change', () => {
    void input.files?.[0]?.text().then((text) => (field(fieldId).value = text));
  });
};

const show = ({ tone, verdict, rows }: BundleResult): void => {
  const heading = document.createElement('p');
  heading.className = tone;
  heading.textContent = verdict;
  const table = document.createElement('table');
  for (const { name, outcome, found } of rows) {
    const row = table.insertRow();
    // Only text is inserted: the content of a bundle is not trusted.
    for (const text of [name, outcome, found]) row.insertCell().textContent = text;
  }
  find('result').replaceChildren(heading, table);
};

connectFile('bundle-file', 'bundle');
connectFile('policy-file', 'policy');
find('verify').addEventListener('click', () => {
  show(describeBundle(field('bundle').value, field('policy').value));
});
