import { mount } from 'svelte';

import './app.css';
import App from './App.svelte';
import { finish } from './api/signIn';
import { language } from './texts/language.svelte';

const target = document.getElementById('app');
if (target) {
  // Why signing in failed is said in the language of the page.
  void Promise.allSettled([language.start().finally(finish)]).then(() => {
    target.replaceChildren();
    mount(App, { target });
  });
}
