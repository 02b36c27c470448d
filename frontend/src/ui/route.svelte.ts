// The pages, and which of them the address names.

export const PAGES = [
  { id: 'plan', name: 'Plan' },
  { id: 'reservations', name: 'My reservations' },
  { id: 'schedule', name: 'Schedule' },
  { id: 'nodes', name: 'Nodes' },
  { id: 'grid', name: 'Grid' },
  { id: 'reports', name: 'Reports' },
  { id: 'simulate', name: 'Simulate' },
] as const;
export type Page = (typeof PAGES)[number]['id'];

function pageOf(hash: string): Page {
  const id = hash.replace(/^#\/?/, '').split(/[?/]/)[0];
  return PAGES.find((page) => page.id === id)?.id ?? 'plan';
}

let page = $state(pageOf(location.hash));

addEventListener('hashchange', () => {
  page = pageOf(location.hash);
});

export const route = {
  get page() {
    return page;
  },
};
