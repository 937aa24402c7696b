package binlog_test

// How predicates are read the databases say.
import _ "txweave/dbms/registry"
