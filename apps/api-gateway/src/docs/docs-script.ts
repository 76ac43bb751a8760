/**
 * Script of the API reference: searches operations and opens the target of a link. The content
 * security policy identifies this text by its hash.
 */
export const SCRIPT = `
const find = document.getElementById('find');
const found = document.getElementById('found');
const operations = [...document.querySelectorAll('article.operation')];
const search = () => {
  const words = find.value.toLowerCase().split(/\\s+/).filter((word) => word !== '');
  let count = 0;
  for (const operation of operations) {
    const fits = words.every((word) => operation.dataset.find.includes(word));
    operation.hidden = !fits;
    const link = document.querySelector('[data-for="' + operation.id + '"]');
    if (link) link.hidden = !fits;
    if (fits) count += 1;
  }
  const isWhole = words.length === 0;
  for (const part of document.querySelectorAll('.intro, #schemas')) part.hidden = !isWhole;
  for (const part of document.querySelectorAll('section.tag:not(#schemas)'))
    part.hidden = part.querySelector('article.operation:not([hidden])') === null;
  for (const part of document.querySelectorAll('.group'))
    part.hidden = part.querySelector('[data-for]:not([hidden])') === null;
  found.textContent = isWhole ? '' : count + (count === 1 ? ' match' : ' matches');
};
const open = () => {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  if (target.closest('[hidden]')) {
    find.value = '';
    search();
  }
  if (target.tagName === 'DETAILS') target.open = true;
  target.scrollIntoView();
};
find.addEventListener('input', search);
addEventListener('hashchange', open);
addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.target === find) return;
  event.preventDefault();
  find.focus();
});
open();
`;
