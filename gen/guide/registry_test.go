package guide

import _ "txweave/dbms/registry" // how the statements of the DBMSs are read, and what their levels promise
