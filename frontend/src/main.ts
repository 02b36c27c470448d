import { mount } from 'svelte';

import './app.css';
import App from './App.svelte';
import { finish } from './api/signIn';

const target = document.getElementById('app');
if (target) {
  void finish().finally(() => {
    target.replaceChildren();
    mount(App, { target });
  });
}
