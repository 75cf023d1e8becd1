require('./suite.cjs')('two')
