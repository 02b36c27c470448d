import { mount } from 'svelte';

import './app.css';
import App from './App.svelte';
import { finish } from './api/signIn';
import { language } from './texts/language.svelte';

const target = document.getElementById('app');
if (target) {
  void Promise.allSettled([finish(), language.start()]).then(() => {
    target.replaceChildren();
    mount(App, { target });
  });
}
